/** The meaning of a status for the market. It colours a word and never appears without one. */
export type Tone = 'positive' | 'neutral' | 'negative';

/** A band that starts at `from` (inclusive). Tables list bands from the highest to the lowest. */
interface BandFrom {
  readonly from: number;
}

/** A band of the values above `above` (exclusive). */
interface BandAbove {
  readonly above: number;
}

const NEVER_EMPTY = 'A table of bands ends with one that begins at minus infinity.';

/** The band of a displayed value. */
export function bandFrom<Band extends BandFrom>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ from }) => displayed >= from);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

/** The band of a displayed value. An edge belongs to the band below it. */
export function bandAbove<Band extends BandAbove>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ above }) => displayed > above);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}
