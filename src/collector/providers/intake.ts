import { isSession, marketDay } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { ProblemKind } from '../problems.ts';
import type { Bar, BarRequest } from './provider.ts';

/** Beyond any share's price (Berkshire Hathaway's is below 1e6) and any index. */
const PRICE_BELOW = 1e7;
const VOLUME_BELOW = 1e12;
/** Two prices this close, relative, say the same. */
const SAME = 1e-6;

/**
 * Where the values of a provider come in. One that cannot be right is refused in the request's problems, and so is
 * the second of a day that says something else than the first; days that were not asked for are passed over.
 */
export interface Intake {
  /** `values`: open, high, low, close, volume. */
  takeBar(symbol: string, session: string, values: readonly unknown[]): void;
  takeClose(name: SeriesName, session: string, value: unknown): void;
  refuse(kind: ProblemKind, of: string, session: string | null, why: string): void;
  /** By symbol and session. */
  readonly bars: ReadonlyMap<string, ReadonlyMap<string, Bar>>;
  readonly series: ReadonlyMap<SeriesName, ReadonlyMap<string, number>>;
}

export function createIntake(
  label: string,
  { from, to, now, problems }: Pick<BarRequest, 'from' | 'to' | 'now' | 'problems'>,
): Intake {
  const today = marketDay(now);
  const bars = new Map<string, Map<string, Bar>>();
  const series = new Map<SeriesName, Map<string, number>>();
  const refusals = new Map<string, { kind: ProblemKind; why: string } | null>();

  function refuse(kind: ProblemKind, of: string, session: string | null, why: string): void {
    problems.refuse(kind, { provider: label, of, ...(session === null ? {} : { session }) }, why);
  }

  /** Of five hundred symbols a day is looked at once. */
  function refusalOf(session: string) {
    let refusal = refusals.get(session);
    if (refusal === undefined) {
      if (session > today) refusal = { kind: 'future date', why: 'that day is still to come' };
      else if (!isSession(session)) refusal = { kind: 'date', why: 'that day is no session of the exchange' };
      else refusal = null;
      refusals.set(session, refusal);
    }
    return refusal;
  }

  function isAsked(of: string, session: string): boolean {
    const refusal = refusalOf(session);
    if (refusal !== null) refuse(refusal.kind, of, session, refusal.why);
    return refusal === null && session >= from && session <= to;
  }

  /** The number in `value`; null, with a refusal, when it cannot be a price, or a count of shares. */
  function numberIn(value: unknown, name: string, of: string, session: string): number | null {
    const isVolume = name === 'volume';
    if (value === null || value === undefined) {
      refuse('missing value', of, session, `there is no ${name}`);
    } else if (typeof value !== 'number' || !Number.isFinite(value)) {
      refuse('number', of, session, `the ${name} is not a number`);
    } else if (value < 0 || (value === 0 && !isVolume)) {
      refuse('price', of, session, `the ${name} is ${value === 0 ? 'zero' : 'negative'}`);
    } else if (value >= (isVolume ? VOLUME_BELOW : PRICE_BELOW)) {
      refuse('price', of, session, `the ${name} of ${value} is beyond all bounds`);
    } else {
      return value;
    }
    return null;
  }

  return {
    bars,
    series,
    refuse,
    takeBar(symbol, session, values) {
      if (!isAsked(symbol, session)) return;
      const numbers: number[] = [];
      for (let at = 0; at < COLUMNS.length; at += 1) {
        const number = numberIn(values[at], COLUMNS[at] ?? '', symbol, session);
        if (number === null) return;
        numbers.push(number);
      }
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = numbers;
      if (high < low) return refuse('high below low', symbol, session, 'the high is below the low');
      const ofSymbol = entry(bars, symbol);
      const first = ofSymbol.get(session);
      if (first === undefined) ofSymbol.set(session, { symbol, session, open, high, low, close, volume });
      else if (
        !isSame(first.open, open) ||
        !isSame(first.high, high) ||
        !isSame(first.low, low) ||
        !isSame(first.close, close)
      ) {
        refuse('duplicate', symbol, session, 'a second bar of that day says something else');
      }
    },
    takeClose(name, session, value) {
      if (!isAsked(name, session)) return;
      const close = numberIn(value, 'close', name, session);
      if (close === null) return;
      const ofSeries = entry(series, name);
      const first = ofSeries.get(session);
      if (first === undefined) ofSeries.set(session, close);
      else if (!isSame(first, close)) {
        refuse('duplicate', name, session, 'a second value of that day says something else');
      }
    },
  };
}

const COLUMNS = ['open', 'high', 'low', 'close', 'volume'] as const;

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= SAME * a;
}

function entry<K, V>(map: Map<K, Map<string, V>>, key: K): Map<string, V> {
  let found = map.get(key);
  if (found === undefined) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}
