import { sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { SourceError } from '../problems.ts';
import type { SourceReading } from '../sources/source.ts';
import { checkClock, noteOddClocks } from './clock.ts';
import { checkCoverage } from './coverage.ts';
import { createGiven } from './given.ts';
import { viewHeld } from './held-view.ts';
import { noteMissingInputs, noteMissingSymbols } from './missing.ts';
import { recentSessions } from './need.ts';
import { originsOf } from './origins.ts';
import { readRecentBars } from './recent-bars.ts';
import { readRecentSeries } from './recent-series.ts';
import type { LiveRun } from './run.ts';
import { readTicks } from './ticks.ts';

/** The last instant of a session that is not its close (ms before the bell). */
const BEFORE_CLOSE = 60_000;

/**
 * Reads the recent sessions of everything, from all providers at once. Throws SourceError when the run's session
 * is not covered by bars, the clock is far off, or the run is over.
 */
export async function readRecent(run: LiveRun): Promise<SourceReading> {
  const { request, members, plan, http } = run;
  const { now, problems } = request;
  const held = viewHeld(request.held, run.target.newestFinal);
  const given = createGiven();
  const bars = readRecentBars(run, held, given).then(async (recent) => {
    const { reach } = recent;
    if (reach !== null) await readTicks(run, held, given, Math.min(reach, sessionClose(run.target.session)));
    return recent;
  });
  const series = plan
    .filter(({ asking }) => asking === 'span' || asking === 'day' || asking === 'newest')
    .map((group) => readRecentSeries(run, group, held, given));
  await allOf([bars, ...series]);
  const { whole, reach } = await bars;

  const { target, offset, words } = checkClock(run.target, { now, http });
  if (words !== null) problems.note('clock', words);
  noteOddClocks([...new Set(plan.flatMap(({ providers }) => providers))], { http, problems });
  const hasBar = (symbol: string, session: string) =>
    given.hasBar(symbol, session) || !Number.isNaN(held.close(symbol, session));
  noteMissingSymbols(run, { held, given, target });
  noteMissingInputs(run, { held, given, target });
  const recent = recentSessions(target);
  checkCoverage(members, hasBar, recent);
  // With everything held, a run that got no answer at all would pass for one that found nothing new.
  if (given.empty) {
    throw new SourceError('No provider gave anything; the last rows stay, and the next run asks again.');
  }

  const history = given.toHistory(members, run.universe, {
    sessions: recent.filter((day) => members.some(({ symbol }) => hasBar(symbol, day))),
    symbols: new Set(
      members.map(({ symbol }) => symbol).filter((symbol) => recent.some((day) => hasBar(symbol, day))),
    ),
  });
  // Whoever says that its figures reach up to our now means its own.
  const within = (instant: number) =>
    Math.max(
      sessionOpen(target.session),
      Math.min(instant < now ? instant : now + offset, sessionClose(target.session) - BEFORE_CLOSE),
    );
  const open = target.final
    ? null
    : { session: target.session, bars: within(reach ?? now), series: within(now) };
  return {
    history,
    members,
    whole,
    observedAt: open?.bars ?? null,
    originsOf: (session) =>
      originsOf(session, {
        ...{ plan, held, given, open },
        fetchedAt: (provider) => http.answeredAt(provider) ?? now,
      }),
  };
}

/** Waits for all, so that nothing goes on behind a run that ended; throws what the first one threw. */
async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
