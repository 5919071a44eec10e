/** The exchange whose published counts are preferred to our own count of the members. */
export const EXCHANGE = 'NYSE';

/** An exchange whose readings have been missing for this number of sessions no longer counts: a quarter. */
export const EXCHANGE_KEPT = 63;

/** A series, and for each session the universe over which its value is counted (null without a value). */
export interface Attributed {
  readonly value: Float64Array;
  readonly universe: readonly (string | null)[];
}

/** For each session, true if it or one of the 62 before it has all of the exchange's `readings` (specification, reading 25). */
export function exchangeSessions(...readings: readonly Float64Array[]): boolean[] {
  let missing = EXCHANGE_KEPT;
  return Array.from(readings[0] ?? [], (_, at) => {
    missing = readings.some((reading) => Number.isNaN(reading[at] ?? Number.NaN)) ? missing + 1 : 0;
    return missing < EXCHANGE_KEPT;
  });
}

/** For each session the reading of the exchange if `isExchange`, otherwise that of the members, with the name of the set. */
export function oneSet(
  isExchange: readonly boolean[],
  exchange: Float64Array,
  members: Float64Array,
  universe: string,
): Attributed {
  const value = exchange.map((reading, at) => (isExchange[at] ? reading : (members[at] ?? Number.NaN)));
  return {
    value,
    universe: Array.from(value, (reading, at) =>
      Number.isNaN(reading) ? null : isExchange[at] ? EXCHANGE : universe,
    ),
  };
}

/** For each session the first available reading, in the order of the arguments; NaN if there is none. */
export function firstPresent(preferred: Float64Array, ...others: Float64Array[]): Float64Array {
  return preferred.map((reading, at) => {
    if (!Number.isNaN(reading)) return reading;
    return others.find((other) => !Number.isNaN(other[at] ?? Number.NaN))?.[at] ?? Number.NaN;
  });
}
