import { lastSessions } from '#domain/calendar/last-sessions.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import type { Given } from './given.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import { correctedSessions, lastOf } from './need.ts';
import { readBars } from './read-bars.ts';
import { isOther, isReadjusted } from './readjusted.ts';
import { withoutRepeated } from './repeated.ts';
import type { LiveRun } from './run.ts';
import { takeWhole } from './whole.ts';

/** Symbols that the provider has adjusted again. */
export interface Readjusted {
  /** Read whole: their bars replace all that is held of them. */
  readonly whole: readonly string[];
  /** Not to be had whole: what is held and what is given are on two scales. */
  readonly leftOut: readonly string[];
}

/** The first choice corrects the newest sessions too. What it has adjusted again comes whole. */
export async function takeFirstChoice(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  bars: readonly Bar[],
): Promise<Readjusted> {
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

/** Reads symbols whole that the provider has adjusted again. */
async function readWhole(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  given: Given,
  symbols: readonly string[],
): Promise<Readjusted> {
  if (symbols.length === 0) return { whole: [], leftOut: [] };
  const to = lastOf(provider, 'bars', run.target);
  const from = lastSessions(to, LIVE_LIMITS.barSessions)[0] ?? to;
  const { bars } = await readBars(run, provider, symbols, { from, to });
  const whole = takeWhole(run, provider, held, withoutRepeated(run, provider, bars), from);
  for (const symbol of symbols) {
    const what = whole.has(symbol) ? 'it was read whole again' : 'it is left out until it can be read whole';
    run.request.problems.note('readjusted', `${provider.label} has adjusted the past of ${symbol}; ${what}.`);
  }
  for (const bar of [...whole.values()].flat()) given.addBar(bar, provider.name);
  return { whole: [...whole.keys()], leftOut: symbols.filter((symbol) => !whole.has(symbol)) };
}
