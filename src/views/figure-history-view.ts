import { INDICATORS, indicatorBand } from '#domain/bands/indicator-bands.ts';
import { asDisplayed, roundTo } from '#domain/bands/precision.ts';
import { bandFrom, METRIC_BANDS, SECTOR_BANDS } from '#domain/bands/score-bands.ts';
import { isSession, marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import type { FigureRow } from '#schema/columns.ts';
import { valueAxis } from './closes-view.ts';
import { INDICATOR_EDGES } from './indicator-rail.ts';
import { figureOf, writeNumber } from './number.ts';
import { type HistoryFigure, isMetric } from './stored-figure.ts';
import { percentScale, type TimelineLook, timelineOf } from './timeline-view.ts';
import { zonesBetween } from './zones.ts';

export type { FigureRow };

const LEVELS = 4;

/** The zones of bands between two values, from the lowest up. */
const zonesOf = (
  low: number,
  high: number,
  bands: readonly { from: number; label: string; tone: string }[],
) => zonesBetween(low, high, bands).map(({ from, to, label, tone }) => ({ from, to, text: label, tone }));

const METRIC_TONES = METRIC_BANDS.map(({ from, label, color }) => ({ from, label, tone: `color-${color}` }));

const decimalsOf = (value: number) => String(value).split('.')[1]?.length ?? 0;

type Scale = Pick<TimelineLook, 'scale' | 'levels' | 'zones' | 'quantity' | 'read'>;

function scaleOf(figure: HistoryFigure, values: readonly number[]): Scale {
  if (typeof figure === 'object' || isMetric(figure)) {
    const bands = typeof figure === 'object' ? SECTOR_BANDS : METRIC_TONES;
    return {
      ...percentScale(zonesOf(0, 100, bands)),
      quantity: 'score',
      read(value) {
        const { label, tone } = bandFrom<(typeof bands)[number]>(bands, value);
        return { text: figureOf('score', value, { suffix: '%' }).text, label, tone };
      },
    };
  }
  const { quantity, writing } = INDICATORS[figure];
  const read = (value: number) => ({
    text: figureOf(quantity, value, writing).text,
    ...indicatorBand(figure, value),
  });
  const bands = INDICATOR_EDGES[figure] ?? [];
  if (quantity === 'score') return { ...percentScale(zonesOf(0, 100, bands)), quantity, read };
  const { low, high, step, ticks, decimals } = valueAxis(
    values.length === 0 ? [0] : values.map((value) => asDisplayed(quantity, value)),
    LEVELS,
  );
  const zones = zonesOf(low, high, bands);
  const borders = zones.map(({ from }) => from).filter((from) => from > low);
  // The text of a border needs the space of a tick that is closer than half a step.
  const apart = ticks.filter((tick) => borders.every((border) => Math.abs(border - tick) > step / 2));
  const places = Math.max(decimals, ...borders.map(decimalsOf));
  const textOf = (value: number) => writeNumber(roundTo(value, places), places);
  // The text of a border would cover that of another one closely below it.
  const hasText = (border: number, at: number) => at === 0 || border - (borders[at - 1] ?? low) > step / 3;
  return {
    scale: { low, high },
    levels: [
      ...apart.map((value) => ({ value, text: textOf(value), dashed: false })),
      ...borders.map((value, at) => ({ value, text: hasText(value, at) ? textOf(value) : '', dashed: true })),
    ],
    zones,
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
  return timelineOf(points, {
    ...scaleOf(
      figure,
      points.map(({ value }) => value),
    ),
    name,
    emptyText: `No close of ${name} is stored yet. The history grows with each session.`,
  });
}
