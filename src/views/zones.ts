import { FEAR_GREED_BANDS, VERDICTS } from '#domain/bands/zone-bands.ts';

const END = 100;

/** The bands of a scale of 0–100 with both edges, from 0 up. Expects `bands` from the highest to the lowest. */
function zonesOf<Band extends { readonly from: number }>(
  bands: readonly Band[],
): (Omit<Band, 'from'> & { from: number; to: number })[] {
  return bands
    .map((band, index) => ({ ...band, from: Math.max(band.from, 0), to: bands[index - 1]?.from ?? END }))
    .reverse();
}

export const SIGNAL_ZONES = zonesOf(VERDICTS);
export const FEAR_GREED_ZONES = zonesOf(FEAR_GREED_BANDS);

/** The names of the page's colours for the verdicts. */
export const VERDICT_HUES = { SELL: 'extreme-fear', HOLD: 'neutral', BUY: 'extreme-greed' } as const;
