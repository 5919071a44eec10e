import { isSession, marketDay } from '#domain/calendar/sessions.ts';
import type { ProblemKind } from '../problems.ts';
import type { Bar, BarRequest } from './provider.ts';

/** Bounds of a share price: Berkshire Hathaway is below 1e6, and no exchange quotes less than 1e-4. */
const PRICE = { from: 1e-4, below: 1e7 } as const;
const VOLUME_BELOW = 1e12;
/** Relative tolerance for equal prices. */
const TOLERANCE = 1e-6;

/**
 * Validates a provider's bars. Invalid bars, and a second bar of a day that differs from the first, are rejected into
 * the request's problems. Days outside the requested range are ignored.
 */
export interface BarIntake {
  /** `values`: open, high, low, close, volume. */
  take(symbol: string, session: string, values: readonly unknown[]): void;
  accepted(): Bar[];
}

export function createBarIntake(
  label: string,
  { from, to, now, problems }: Pick<BarRequest, 'from' | 'to' | 'now' | 'problems'>,
): BarIntake {
  const today = marketDay(now);
  const bars = new Map<string, Map<string, Bar>>();
  const refusals = new Map<string, { kind: ProblemKind; why: string } | null>();

  function refuse(kind: ProblemKind, of: string, session: string, why: string): void {
    problems.refuse(kind, { provider: label, of, session }, why);
  }

  /** Cached by day, since a response has up to five hundred symbols of each. */
  function refusalOf(session: string) {
    let refusal = refusals.get(session);
    if (refusal === undefined) {
      if (session > today) refusal = { kind: 'future date', why: 'the day is in the future' };
      else if (!isSession(session))
        refusal = { kind: 'date', why: 'the day is not a session of the exchange' };
      else refusal = null;
      refusals.set(session, refusal);
    }
    return refusal;
  }

  function isRequested(of: string, session: string): boolean {
    const refusal = refusalOf(session);
    if (refusal !== null) refuse(refusal.kind, of, session, refusal.why);
    return refusal === null && session >= from && session <= to;
  }

  /** `value` as a price or a count of shares; null, after rejecting it, if it cannot be one. */
  function numberIn(value: unknown, name: string, of: string, session: string): number | null {
    const isVolume = name === 'volume';
    if (value === null || value === undefined) {
      refuse('missing value', of, session, `no ${name}`);
    } else if (typeof value !== 'number' || !Number.isFinite(value)) {
      refuse('number', of, session, `the ${name} is not a number`);
    } else if (value < 0 || (value === 0 && !isVolume)) {
      refuse('price', of, session, `the ${name} is ${value === 0 ? 'zero' : 'negative'}`);
    } else if (isVolume ? value >= VOLUME_BELOW : value < PRICE.from || value >= PRICE.below) {
      refuse('price', of, session, `the ${name} of ${value} is out of bounds`);
    } else {
      return value;
    }
    return null;
  }

  return {
    accepted: () => [...bars.values()].flatMap((ofSymbol) => [...ofSymbol.values()]),
    take(symbol, session, values) {
      if (!isRequested(symbol, session)) return;
      const numbers: number[] = [];
      for (let at = 0; at < COLUMNS.length; at += 1) {
        const number = numberIn(values[at], COLUMNS[at] ?? '', symbol, session);
        if (number === null) return;
        numbers.push(number);
      }
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = numbers;
      if (high < low) return refuse('high below low', symbol, session, 'the high is below the low');
      const ofSymbol = bars.get(symbol) ?? new Map<string, Bar>();
      bars.set(symbol, ofSymbol);
      const bar = { symbol, session, open, high, low, close, volume };
      const first = ofSymbol.get(session);
      if (first === undefined) ofSymbol.set(session, bar);
      else if (!isSameBar(first, bar)) {
        refuse('duplicate', symbol, session, 'two different bars for one day');
      }
    },
  };
}

const COLUMNS = ['open', 'high', 'low', 'close', 'volume'] as const;

function isSameBar(a: Bar, b: Bar): boolean {
  return (['open', 'high', 'low', 'close'] as const).every((name) => isSamePrice(a[name], b[name]));
}

/** True if two prices are equal except for rounding. */
export function isSamePrice(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * a;
}
