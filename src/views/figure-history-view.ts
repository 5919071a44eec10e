import { bandFrom } from '#domain/bands/band.ts';
import {
  HIGH_LOW_BANDS,
  INDICATORS,
  type IndicatorKey,
  indicatorBand,
  MCCLELLAN_BANDS,
  PUT_CALL_BANDS,
  TRIN_BANDS,
  VIX_BANDS,
} from '#domain/bands/indicator-bands.ts';
import { asDisplayed, roundTo } from '#domain/bands/precision.ts';
import { METRIC_BANDS, SECTOR_BANDS } from '#domain/bands/score-bands.ts';
import { isSession, marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import type { FigureRow } from '#schema/columns.ts';
import { valueAxis } from './closes-view.ts';
import { edgesOf } from './indicator-rail.ts';
import { figureOf, writeNumber } from './number.ts';
import { type HistoryFigure, isMetric } from './stored-figure.ts';
import { percentScale, type TimelineLook, timelineOf } from './timeline-view.ts';

export type { FigureRow };

const LEVELS = 4;

/** The bands that lie beside each other on the scale of an indicator. */
const BANDS: Partial<Record<IndicatorKey, ReturnType<typeof edgesOf>>> = {
  vix: edgesOf(VIX_BANDS),
  putCallRatio: edgesOf(PUT_CALL_BANDS),
  trin: edgesOf(TRIN_BANDS),
  mcclellanOscillator: edgesOf(MCCLELLAN_BANDS),
  highLowIndex: edgesOf(HIGH_LOW_BANDS),
};

/** The parts of bands (from the highest down) between two values, from the lowest up. */
function zonesBetween(
  low: number,
  high: number,
  bands: readonly { edge: number; label: string; tone: string }[],
): TimelineLook['zones'] {
  return bands
    .map(({ edge, label, tone }, index) => ({
      from: Math.max(edge, low),
      to: Math.min(bands[index - 1]?.edge ?? high, high),
      text: label,
      tone,
    }))
    .filter(({ from, to }) => from < to)
    .reverse();
}

const METRIC_EDGES = METRIC_BANDS.map(({ from, label, color }) => ({
  edge: from,
  label,
  tone: `color-${color}`,
}));

type Scale = Pick<TimelineLook, 'scale' | 'levels' | 'zones' | 'quantity' | 'read'>;

const percent = (value: number) => figureOf('score', value, { suffix: '%' }).text;

function scaleOf(figure: HistoryFigure, values: readonly number[]): Scale {
  if (typeof figure === 'object')
    return {
      ...percentScale(zonesBetween(0, 100, edgesOf(SECTOR_BANDS))),
      quantity: 'score',
      read: (value) => {
        const { label, tone } = bandFrom(SECTOR_BANDS, value);
        return { text: percent(value), label, tone };
      },
    };
  if (isMetric(figure))
    return {
      ...percentScale(zonesBetween(0, 100, METRIC_EDGES)),
      quantity: 'score',
      read: (value) => {
        const { label, color } = bandFrom(METRIC_BANDS, value);
        return { text: percent(value), label, tone: `color-${color}` };
      },
    };
  const { quantity, writing } = INDICATORS[figure];
  const read = (value: number) => ({
    text: figureOf(quantity, value, writing).text,
    ...indicatorBand(figure, value),
  });
  const bands = BANDS[figure] ?? [];
  if (quantity === 'score') return { ...percentScale(zonesBetween(0, 100, bands)), quantity, read };
  const { low, high, ticks, decimals } = valueAxis(values, LEVELS);
  return {
    scale: { low, high },
    levels: ticks.map((value) => ({
      value,
      text: writeNumber(roundTo(value, decimals), decimals),
      dashed: false,
    })),
    zones: zonesBetween(low, high, bands),
    quantity,
    read,
  };
}

/** A figure at the closes of a year, from ascending rows, without closes that counted other stocks than the newest one. */
export function figureHistoryView(rows: readonly FigureRow[], figure: HistoryFigure, name: string) {
  const closes = new Map<string, { at: number; value: number; universe: string | null }>();
  for (const { created_at, value, universe } of rows) {
    const at = Date.parse(created_at);
    const session = marketDay(at);
    if (value !== null && isSession(session) && at >= sessionClose(session))
      closes.set(session, { at, value, universe });
  }
  const all = [...closes.values()];
  const points = all.filter(({ universe }) => universe === all.at(-1)?.universe);
  const { quantity } =
    typeof figure === 'object' || isMetric(figure) ? { quantity: 'score' as const } : INDICATORS[figure];
  const values = points.map(({ value }) => asDisplayed(quantity, value));
  return timelineOf(points, {
    ...scaleOf(figure, values.length === 0 ? [0] : values),
    name,
    emptyText: `No close of ${name} is stored yet. The history grows with each session.`,
  });
}
