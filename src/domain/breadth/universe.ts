/** The exchange whose published counts are preferred to our own count of the members. */
export const EXCHANGE = 'NYSE';

/** A series, and for each session the universe over which its value is counted (null without a value). */
export interface Attributed {
  readonly value: Float64Array;
  readonly universe: readonly (string | null)[];
}

/**
 * Returns for each session the exchange's reading, or the members' reading if the exchange has none, and the universe
 * of that reading. Each reading is computed from one of the two sources only, so no window mixes them.
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

/** For each session the first available reading, in the order of the arguments; NaN if there is none. */
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
