import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { previousSession } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { Input, Provider } from '../providers/provider.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveRun } from './run.ts';
import type { Target } from './target.ts';

/** The sessions that are read again in every run: the newest up to the run's own, ascending. */
export function recentSessions({ session }: Target): string[] {
  return lastSessions(session, LIVE_LIMITS.recentSessions);
}

/** Of these, the ones a correction is taken of. */
export function correctedSessions(target: Target): Set<string> {
  return new Set(recentSessions(target).slice(-LIVE_LIMITS.correctedSessions));
}

/** Where the past ends for the run: before its own session. */
export function pastEnd({ session }: Target): string {
  return previousSession(session);
}

/** Whether what is held of a symbol joins the recent sessions; otherwise it has to come whole. */
export function joinsBars(run: LiveRun, held: HeldView, symbol: string): boolean {
  const newest = held.newestBar(symbol);
  return run.deepened.symbols.has(symbol) || (newest !== null && newest >= firstRecent(run));
}

/** Whether what is held of a series joins the recent sessions. */
export function joinsSeries(run: LiveRun, held: HeldView, series: SeriesName): boolean {
  const newest = held.newestValue(series, run.target.session);
  return run.deepened.series.has(series) || (newest !== null && newest >= firstRecent(run));
}

function firstRecent({ target }: LiveRun): string {
  return recentSessions(target)[0] ?? target.session;
}

/** The last session to ask a provider for an input of: the one under way only where it says it has that. */
export function lastOf({ givesOpenSession }: Provider, input: Input, target: Target): string {
  return target.final || givesOpenSession.includes(input) ? target.session : target.newestFinal;
}
