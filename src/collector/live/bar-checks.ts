import { previousSession } from '#domain/calendar/sessions.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { Run } from './run.ts';
import { groupBy } from './run-data.ts';

/** The stored and the fetched close of one session. */
export interface Overlap {
  readonly session: string;
  readonly stored: number;
  readonly fetched: number;
}

/** Prices are rounded to the cent, which is more than a thousandth of a small price. */
const CENT = 0.011;

/**
 * True if the provider has readjusted a symbol's history, for a dividend or a split: all closes that differ by more
 * than a thousandth differ by the same ratio, and there are several of them, or there is no other close. A single
 * differing close among others is a correction.
 */
export function isReadjusted(overlap: readonly Overlap[]): boolean {
  const differing = overlap.filter(differs);
  if (differing.length === 0 || (differing.length === 1 && overlap.length > 1)) return false;
  const ratios = differing.map(({ stored, fetched }) => fetched / stored).sort((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)] as number;
  return differing.every(
    ({ stored, fetched }) =>
      Math.abs(fetched - stored * ratio) <= Math.max(CENT, LIVE_LIMITS.rounding * fetched),
  );
}

/** True if two closes differ by more than rounding. */
export function differs({ stored, fetched }: Overlap): boolean {
  return Math.abs(fetched / stored - 1) > LIVE_LIMITS.rounding;
}

/** Removes the bars of the run's session, with a note, if the provider repeated the bars of the previous session. */
export function withoutRepeatedSession(run: Run, provider: Provider, bars: readonly Bar[]): readonly Bar[] {
  const { session } = run.target;
  const before = previousSession(session);
  const earlier = new Map(bars.filter((bar) => bar.session === before).map((bar) => [bar.symbol, bar]));
  const pairs = bars.flatMap((bar) => {
    const other = bar.session === session ? earlier.get(bar.symbol) : undefined;
    return other === undefined ? [] : [isSameBar(bar, other)];
  });
  const repeated = pairs.filter(Boolean).length;
  if (repeated === 0 || repeated < LIVE_LIMITS.repeatedShare * pairs.length) return bars;
  run.note(
    'provider',
    `${provider.label} repeats the bars of ${before} for ${session}. The repeated bars are ignored.`,
  );
  return bars.filter((bar) => bar.session !== session);
}

function isSameBar(one: Bar, other: Bar): boolean {
  return (['open', 'high', 'low', 'close', 'volume'] as const).every((field) => one[field] === other[field]);
}

/**
 * Full histories by symbol. A symbol that lacks too many of its stored sessions is noted and left out, since the
 * history replaces all stored bars.
 */
export function completeHistories(
  run: Run,
  provider: Provider,
  bars: readonly Bar[],
  from: string,
): Map<string, Bar[]> {
  const bySymbol = groupBy(bars, ({ symbol }) => symbol);
  for (const [symbol, its] of bySymbol) {
    const sessions = new Set(its.map(({ session }) => session));
    const stored = run.stored.sessionsOf(symbol).filter((session) => session >= from);
    const found = stored.filter((session) => sessions.has(session)).length;
    if (found >= LIVE_LIMITS.completeness * stored.length) continue;
    run.note(
      'provider',
      `${provider.label} has bars of ${symbol} on only ${found} of the ${stored.length} stored sessions. These bars are ignored.`,
    );
    bySymbol.delete(symbol);
  }
  return bySymbol;
}
