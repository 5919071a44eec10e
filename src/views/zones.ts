const END = 100;

/** The bands of a scale of 0–100 with both their edges, from 0 up; `bands` run from the highest to the lowest. */
export function zonesOf<Band extends { readonly from: number }>(
  bands: readonly Band[],
): (Omit<Band, 'from'> & { from: number; to: number })[] {
  return bands
    .map((band, index) => ({ ...band, from: Math.max(band.from, 0), to: bands[index - 1]?.from ?? END }))
    .reverse();
}
