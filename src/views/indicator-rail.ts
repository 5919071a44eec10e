import {
  HIGH_LOW_BANDS,
  type IndicatorKey,
  MCCLELLAN_BANDS,
  PUT_CALL_BANDS,
  TRIN_BANDS,
  VIX_BANDS,
} from '#domain/bands/indicator-bands.ts';
import type { Tone } from '#domain/bands/score-bands.ts';
import { zonesBetween } from './zones.ts';

type Band = { readonly label: string; readonly tone: Tone } & ({ from: number } | { above: number });

const edgesOf = (bands: readonly Band[]) =>
  bands.map((band) => ({
    from: 'from' in band ? band.from : band.above,
    label: band.label,
    tone: band.tone,
  }));

/** The bands that lie beside each other on the scale of an indicator, with their lower edges, from the highest band down. */
export const INDICATOR_EDGES: Partial<Record<IndicatorKey, ReturnType<typeof edgesOf>>> = {
  vix: edgesOf(VIX_BANDS),
  putCallRatio: edgesOf(PUT_CALL_BANDS),
  trin: edgesOf(TRIN_BANDS),
  mcclellanOscillator: edgesOf(MCCLELLAN_BANDS),
  highLowIndex: edgesOf(HIGH_LOW_BANDS),
};

/** The ends of the drawn scales, chosen so that most days lie between them. */
const ENDS: Partial<Record<IndicatorKey, readonly [low: number, high: number]>> = {
  vix: [5, 40],
  putCallRatio: [0.5, 1.5],
  trin: [0.4, 2],
  mcclellanOscillator: [-100, 100],
};

/** A scale with the bands of an indicator and its value, in percent of the length; null without a scale or value. */
export function indicatorRail(key: IndicatorKey, value: number | null) {
  const [low, high] = ENDS[key] ?? [];
  if (low === undefined || high === undefined || value === null) return null;
  const place = (one: number) =>
    Math.round((1000 * (Math.min(Math.max(one, low), high) - low)) / (high - low)) / 10;
  const zones = zonesBetween(low, high, INDICATOR_EDGES[key] ?? []);
  return {
    bands: zones.map(({ from, to, tone }) => ({ from: place(from), to: place(to), tone })),
    at: place(value),
  };
}
