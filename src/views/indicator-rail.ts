import type { Tone } from '#domain/bands/band.ts';
import {
  type IndicatorKey,
  MCCLELLAN_BANDS,
  PUT_CALL_BANDS,
  TRIN_BANDS,
  VIX_BANDS,
} from '#domain/bands/indicator-bands.ts';

interface Scale {
  readonly low: number;
  readonly high: number;
  /** The lower edge of each band, from the highest band down; the last one has none. */
  readonly bands: readonly { readonly edge: number; readonly tone: Tone }[];
}

type Band = { readonly label: string; readonly tone: Tone } & ({ from: number } | { above: number });

export const edgesOf = (bands: readonly Band[]) =>
  bands.map((band) => ({
    edge: 'from' in band ? band.from : band.above,
    label: band.label,
    tone: band.tone,
  }));

/** The scales of the indicators with specified bands. Their ends are chosen so that most days lie between them. */
const SCALES: Partial<Record<IndicatorKey, Scale>> = {
  vix: { low: 5, high: 40, bands: edgesOf(VIX_BANDS) },
  putCallRatio: { low: 0.5, high: 1.5, bands: edgesOf(PUT_CALL_BANDS) },
  trin: { low: 0.4, high: 2, bands: edgesOf(TRIN_BANDS) },
  mcclellanOscillator: { low: -100, high: 100, bands: edgesOf(MCCLELLAN_BANDS) },
};

/** A scale with the bands of an indicator and its value, in percent of the length; null without a scale or value. */
export function indicatorRail(key: IndicatorKey, value: number | null) {
  const scale = SCALES[key];
  if (scale === undefined || value === null) return null;
  const { low, high, bands } = scale;
  const place = (one: number) =>
    Math.round((1000 * (Math.min(Math.max(one, low), high) - low)) / (high - low)) / 10;
  return {
    bands: bands
      .map(({ edge, tone }, index) => ({
        from: place(edge),
        to: place(bands[index - 1]?.edge ?? high),
        tone,
      }))
      .reverse(),
    at: place(value),
  };
}
