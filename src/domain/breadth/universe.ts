/** The exchange whose published counts are preferred to our own count of the members. */
export const EXCHANGE = 'NYSE';

/** A series, and per session the universe that its value is counted over; null without a value. */
export interface Attributed {
  readonly value: Float64Array;
  readonly universe: readonly (string | null)[];
}

/**
 * Returns the exchange's reading of each session, or the members' if it has none, with its universe. Each reading is
 * computed from one source only, so no window mixes the two.
 */
export function preferExchange(exchange: Float64Array, members: Float64Array, universe: string): Attributed {
  const value = firstPresent(exchange, members);
  return {
    value,
    universe: Array.from(value, (reading, at) => {
      if (Number.isNaN(reading)) return null;
      return Number.isNaN(exchange[at] ?? Number.NaN) ? universe : EXCHANGE;
    }),
  };
}

/** The first available reading per session; NaN without any. */
export function firstPresent(preferred: Float64Array, ...others: Float64Array[]): Float64Array {
  return preferred.map((reading, at) => {
    if (!Number.isNaN(reading)) return reading;
    for (const other of others) {
      const value = other[at] ?? Number.NaN;
      if (!Number.isNaN(value)) return value;
    }
    return Number.NaN;
  });
}
