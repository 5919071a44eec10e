import { FEAR_GREED_BANDS, VERDICTS } from '#domain/bands/zone-bands.ts';

/** The parts of bands (from the highest to the lowest) between two values, from the lowest up. */
export function zonesBetween<Band extends { readonly from: number }>(
  low: number,
  high: number,
  bands: readonly Band[],
): (Omit<Band, 'from'> & { from: number; to: number })[] {
  return bands
    .map((band, index) => ({
      ...band,
      from: Math.max(band.from, low),
      to: Math.min(bands[index - 1]?.from ?? high, high),
    }))
    .filter(({ from, to }) => from < to)
    .reverse();
}

export const SIGNAL_ZONES = zonesBetween(0, 100, VERDICTS);
export const FEAR_GREED_ZONES = zonesBetween(0, 100, FEAR_GREED_BANDS);

/** The names of the page's colours for the verdicts. */
export const VERDICT_HUES = { SELL: 'extreme-fear', HOLD: 'neutral', BUY: 'extreme-greed' } as const;
