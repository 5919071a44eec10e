/** The meaning of a status for the market, which sets its colour. The status is always written as a word too. */
export type Tone = 'positive' | 'neutral' | 'negative';

/** A band that starts at `from` (inclusive). Tables list bands from the highest to the lowest. */
interface BandFrom {
  readonly from: number;
}

/** A band of the values above `above` (exclusive). */
interface BandAbove {
  readonly above: number;
}

const NEVER_EMPTY = 'The last band of a table must begin at minus infinity.';

/** Returns the band that contains a displayed value. */
export function bandFrom<Band extends BandFrom>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ from }) => displayed >= from);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

/** Returns the band that contains a displayed value. A value equal to an edge belongs to the band below that edge. */
export function bandAbove<Band extends BandAbove>(bands: readonly Band[], displayed: number): Band {
  const band = bands.find(({ above }) => displayed > above);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}
