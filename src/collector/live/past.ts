import type { MarketHistory } from '#domain/market-history.ts';
import { checkClock } from './clock.ts';
import { createFetchProgress, requestsForBars } from './fetch-progress.ts';
import { viewHeld } from './held-view.ts';
import { pastBars, symbolsToDeepen } from './past-bars.ts';
import { daysToRead, pastDays } from './past-days.ts';
import { pastSeries, seriesToDeepen } from './past-series.ts';
import type { LiveRun } from './run.ts';

/**
 * The past that is not held, part by part: bars of symbols that come whole, series that come whole, and
 * days of put/call ratios, newest first. Each part is of closed sessions before the run's own.
 * Throws SourceError where too much of the universe could not be read.
 */
export async function* readPast(run: LiveRun): AsyncGenerator<MarketHistory> {
  const { request, target } = run;
  const held = viewHeld(request.held, target.newestFinal);
  const symbols = symbolsToDeepen(run, held);
  const series = seriesToDeepen(run, held);
  const days = daysToRead(run, held);
  const requests =
    requestsForBars(run, symbols.length) +
    series.length +
    days.reduce((sum, { sessions }) => sum + sessions.length, 0);
  const progress = createFetchProgress(request.report, requests);
  for await (const part of joined(
    pastBars(run, symbols, held, progress),
    pastSeries(run, series, progress),
    pastDays(run, days, progress),
  )) {
    checkClock(target, { now: request.now, http: run.http });
    if (!part.empty) yield part.toHistory(run.members, run.universe);
  }
}

async function* joined<Part>(...parts: AsyncIterable<Part>[]): AsyncGenerator<Part> {
  for (const part of parts) yield* part;
}
