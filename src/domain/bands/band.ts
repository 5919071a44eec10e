/** The meaning of a status for the market. It colours a word and is never shown without one. */
export type Tone = 'positive' | 'neutral' | 'negative';

/** A band that begins at `from`, itself included. Tables run from the highest band to the lowest. */
interface BandFrom {
  readonly from: number;
}

/** A band of the values over `above`, itself not included. */
interface BandAbove {
  readonly above: number;
}

const NEVER_EMPTY = 'A table of bands ends with one that begins at minus infinity.';

/** The band a displayed value falls into. */
export function bandFrom<Band extends BandFrom>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ from }) => displayed >= from);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

/** The band a displayed value falls into, edges belonging to the band below. */
export function bandAbove<Band extends BandAbove>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ above }) => displayed > above);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}
