import { formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { marketDay, nextSession } from '#domain/calendar/sessions.ts';

/** Faults of a request, independent of its normal response. */
export const TRANSPORT_FAULTS = [
  /** An HTML page with status 200. */
  'html',
  /** The first half of the response, without an error. */
  'truncated',
  /** Status 200 with an empty body. */
  'no body',
  /** Never responds. */
  'hangs',
  /** Half of the response, then silence on an open connection. */
  'stalls',
  /** Closes the connection instead of responding. */
  'closes',
  /** Closes the connection in the middle of the response. */
  'breaks off',
  /** A response that never ends. */
  'gigantic',
  /** A redirect to another address of the same server. */
  'redirect',
  '500',
  '503',
  '429',
  '401',
  '403',
  '404',
] as const;

/** Faulty values in a response of the right shape. */
export const VALUE_FAULTS = [
  /** Empty lists. */
  'empty',
  /** Null in place of the day's value. */
  'nulls',
  'zero price',
  'negative price',
  'high below low',
  /** Far above any earlier value. */
  'absurd value',
  /** Fields of the day with wrong types. */
  'wrong types',
  /** A response of another shape. */
  'wrong shape',
  /** An additional day: the session after the newest possible one. */
  'future date',
  /** The day twice, with different values. */
  'repeated day',
  /** An additional day: a Saturday. */
  'no session',
  /** From that day on, prices are a quarter of the true ones. */
  'unadjusted split',
  /** A response without some symbols. */
  'missing symbol',
  /** The provider reports a symbol as unknown. */
  'unknown symbol',
  /** The provider's clock is off by ten minutes, including its Date header. */
  'clock ahead',
  'clock behind',
  /** The response of five days ago. */
  'stale',
] as const;

export type TransportFault = (typeof TRANSPORT_FAULTS)[number];
export type ValueFault = (typeof VALUE_FAULTS)[number];
export type Fault = TransportFault | ValueFault;

export interface FaultOptions {
  /** Number of affected requests; all when absent. */
  times?: number;
  /** The fault affects requests whose path and query contain this text. */
  path?: string;
  /** The fault affects these symbols, as the universe spells them; all symbols if absent. */
  symbols?: readonly string[];
  /** The affected day; the newest of each response when absent. */
  session?: string;
  /** Seconds in the Retry-After header of a 429. */
  retryAfter?: number;
}

/** A fault that applies to the current request. */
export interface StandingFault extends FaultOptions {
  fault: Fault;
}

export const isTransportFault = (fault: Fault): fault is TransportFault =>
  (TRANSPORT_FAULTS as readonly string[]).includes(fault);

/** True if the fault affects a symbol, in the spelling of the universe. */
export function happensTo(standing: StandingFault | null, fault: Fault, symbol: string): boolean {
  return standing?.fault === fault && standing.symbols?.includes(symbol) !== false;
}

/** One day of a response: open, high, low and close, or a single value. */
export interface DayRow {
  day: string;
  /** Only a fault has null, text or other types as a value. */
  prices: unknown[];
  volume?: unknown;
}

/** Rows of one symbol or series, ascending, with the fault applied. `now` is the stub's clock. */
export function withFault(
  rows: readonly DayRow[],
  standing: StandingFault | null,
  now: number,
  symbol?: string,
): DayRow[] {
  const newest = rows.at(-1);
  if (standing === null || newest === undefined) return [...rows];
  const { fault, session = newest.day } = standing;
  if (symbol !== undefined && !happensTo(standing, fault, symbol)) return [...rows];
  const row = rows.find(({ day }) => day === session);
  const others = (change: (row: DayRow) => DayRow) =>
    rows.map((one) => (one.day === session ? change(one) : one));
  const prices = (change: (price: number, at: number) => unknown) =>
    others((one) => ({ ...one, prices: one.prices.map((price, at) => change(Number(price), at)) }));
  switch (fault) {
    case 'empty':
      return [];
    case 'nulls':
      return prices(() => null);
    case 'zero price':
      return prices(() => 0);
    case 'negative price':
      return prices((price) => -price);
    case 'absurd value':
      return prices((price) => price * 1e9);
    case 'high below low':
      return others((one) =>
        one.prices.length < 4
          ? one
          : { ...one, prices: [one.prices[0], one.prices[2], one.prices[1], one.prices[3]] },
      );
    case 'wrong types':
      return others((one) => ({
        ...one,
        prices: one.prices.map((_, at) => [{}, [1], true, 'n/a'][at % 4]),
        volume: 'many',
      }));
    case 'future date':
      return [...rows, { ...newest, day: nextSession(marketDay(now)) }];
    case 'repeated day':
      if (row === undefined) return [...rows];
      return [...rows, { ...row, prices: row.prices.map((price) => Number(price) * 1.3) }];
    case 'no session':
      return [{ ...newest, day: saturdayBefore(newest.day) }, ...rows].sort((a, b) =>
        a.day < b.day ? -1 : 1,
      );
    case 'unadjusted split':
      return rows.map((one) =>
        one.day < session ? one : { ...one, prices: one.prices.map((price) => Number(price) / 4) },
      );
    default:
      return [...rows];
  }
}

function saturdayBefore(session: string): string {
  const day = parseDay(session);
  return formatDay(day - weekdayOf(day) - 1);
}
