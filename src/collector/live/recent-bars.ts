import { previousSession } from '#domain/calendar/sessions.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import type { Given } from './given.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { lastSessions } from './last-sessions.ts';
import { LIVE_LIMITS } from './limits.ts';
import { correctedSessions, joinsBars, recentSessions } from './need.ts';
import { readBars } from './read-bars.ts';
import { isOther, isReadjusted } from './readjusted.ts';
import { repeatsSessionBefore } from './repeated.ts';
import type { LiveRun } from './run.ts';
import { takeWhole } from './whole.ts';

/** What reading the recent bars came to. */
export interface RecentBars {
  /** Symbols whose bars replace all that is held of them. */
  readonly whole: readonly string[];
  /** Up to when the bars of the run's session reach (epoch ms), the median of them; null where there is none. */
  readonly reach: number | null;
}

/**
 * Reads the recent sessions of all members whose past is held: from the first choice, and from the next ones
 * what is still missing of the run's session.
 */
export async function readRecentBars(run: LiveRun, held: HeldView, given: Given): Promise<RecentBars> {
  const { target, members, plan } = run;
  const providers = plan.find(({ asking }) => asking === 'bars')?.providers ?? [];
  const symbols = members.map(({ symbol }) => symbol).filter((symbol) => joinsBars(run, held, symbol));
  const from = recentSessions(target)[0] ?? target.session;
  let whole: readonly string[] = [];
  const reaches: number[] = [];
  for (const [rank, provider] of providers.entries()) {
    const hasBar = (symbol: string) =>
      given.hasBar(symbol, target.session) || !Number.isNaN(held.close(symbol, target.session));
    const wanted = rank === 0 ? symbols : symbols.filter((symbol) => !hasBar(symbol));
    if (wanted.length === 0) break;
    const reading = await readBars(run, provider, wanted, { from, to: lastOf(run, provider) });
    const bars = withoutRepeated(run, provider, reading.bars);
    if (rank === 0) whole = await takeFirstChoice(run, provider, held, given, bars);
    else fillIn(provider, held, given, bars);
    if (bars.some(({ session }) => session === target.session)) reaches.push(...reading.reaches);
  }
  return { whole, reach: reaches.sort((a, b) => a - b)[reaches.length >> 1] ?? null };
}

function lastOf({ target }: LiveRun, { givesOpenSession }: Provider): string {
  return target.final || givesOpenSession.includes('bars') ? target.session : target.newestFinal;
}

function withoutRepeated(
  { target: { session }, request }: LiveRun,
  provider: Provider,
  bars: readonly Bar[],
) {
  const before = previousSession(session);
  if (!repeatsSessionBefore(bars, session, before)) return bars;
  request.problems.note(
    'provider',
    `${provider.label} gives the bars of ${before} once more as those of ${session}, which are not taken.`,
  );
  return bars.filter((bar) => bar.session !== session);
}

/** A fallback only fills in what is not there: its adjustments are its own. */
function fillIn({ name }: Provider, held: HeldView, given: Given, bars: readonly Bar[]): void {
  for (const bar of bars) {
    const isThere =
      given.hasBar(bar.symbol, bar.session) || !Number.isNaN(held.close(bar.symbol, bar.session));
    if (!isThere) given.addBar(bar, name);
  }
}

/** The first choice corrects the newest sessions too. What it has adjusted again comes whole, and is answered. */
async function takeFirstChoice(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  bars: readonly Bar[],
): Promise<string[]> {
  const { problems } = run.request;
  const corrected = correctedSessions(run.target);
  const ofSymbol = groupBy(bars, ({ symbol }) => symbol);
  const readjusted: string[] = [];
  for (const [symbol, itsBars] of ofSymbol) {
    const overlap = itsBars.flatMap(({ session, close }) => {
      const before = held.close(symbol, session);
      return Number.isNaN(before) ? [] : [{ session, held: before, given: close }];
    });
    if (isReadjusted(overlap)) {
      readjusted.push(symbol);
      continue;
    }
    for (const each of overlap) {
      if (corrected.has(each.session) || !isOther(each)) continue;
      problems.note(
        'correction',
        `${provider.label} gives ${symbol} a close of ${each.given} on ${each.session}, ${each.held} is held and stays.`,
      );
    }
    for (const bar of itsBars) {
      if (corrected.has(bar.session) || Number.isNaN(held.close(symbol, bar.session))) {
        given.addBar(bar, provider.name);
      }
    }
  }
  return readWhole(run, provider, held, given, readjusted);
}

/** Reads symbols whole that the provider has adjusted again; answers those it gave. */
async function readWhole(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  symbols: readonly string[],
): Promise<string[]> {
  if (symbols.length === 0) return [];
  const to = lastOf(run, provider);
  const from = lastSessions(to, LIVE_LIMITS.barSessions)[0] ?? to;
  const { bars } = await readBars(run, provider, symbols, { from, to });
  const whole = takeWhole(run, provider, held, withoutRepeated(run, provider, bars), from);
  for (const symbol of symbols) {
    const what = whole.has(symbol) ? 'it was read whole again' : 'it is left out until it can be read whole';
    run.request.problems.note('readjusted', `${provider.label} has adjusted the past of ${symbol}; ${what}.`);
  }
  for (const bar of [...whole.values()].flat()) given.addBar(bar, provider.name);
  return [...whole.keys()];
}
