/** The meaning of a status for the market, which sets its colour. The status is always written as a word too. */
export type Tone = 'positive' | 'neutral' | 'negative';

const NEVER_EMPTY = 'The last band of a table must begin at minus infinity.';

/** The band that contains a displayed value. Tables list bands from the highest down; each starts at `from` (inclusive). */
export function bandFrom<Band extends { readonly from: number }>(bands: readonly Band[], displayed: number) {
  const band = bands.find(({ from }) => displayed >= from);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

/** The same for bands of the values above `above`: a value equal to an edge belongs to the band below that edge. */
export function bandAbove<Band extends { readonly above: number }>(
  bands: readonly Band[],
  displayed: number,
) {
  const band = bands.find(({ above }) => displayed > above);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}
