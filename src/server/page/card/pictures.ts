import type { FearGreedView } from '#views/fear-greed-view.ts';
import type { RecordChartView } from '#views/record-chart-view.ts';
import type { SignalView } from '#views/signal-view.ts';
import { FEAR_GREED_ZONES, SIGNAL_ZONES, VERDICT_HUES } from '#views/zones.ts';
import { plotPath } from '#web/charts/plot.tsx';
import { verdictPaths } from '#web/documents/record-chart.tsx';
import { GAUGE, gaugeBand, gaugeNeedle } from '#web/panels/fear-greed/gauge-geometry.ts';
import { colour } from './card-colours.ts';

const { inner, centre, width } = GAUGE;
/** Opacities of the zones that are not the current one. */
const OTHER_ZONES = { gauge: 0.3, scale: 0.45 } as const;
const NEEDLE = { foot: 0, halfWidth: 7, hub: 11 } as const;

/** Size of the drawing: the page's gauge, and the part of the needle's hub that is below the gauge. */
export const GAUGE_SIZE = { width, height: centre.y + NEEDLE.hub + 1 } as const;

/** Returns the page's gauge as an SVG without text. It has the needle and all zones. Only the current zone is bright. */
export function gaugePicture({ current }: FearGreedView): string {
  const bands = FEAR_GREED_ZONES.map(({ zone, from, to }) => {
    const opacity = zone === current.zone ? 1 : OTHER_ZONES.gauge;
    return `<path d="${gaugeBand(from, to)}" fill="${colour(zone)}" fill-opacity="${opacity}"/>`;
  });
  const needle = gaugeNeedle(current.value, inner - 6, NEEDLE.foot, NEEDLE.halfWidth);
  const { height } = GAUGE_SIZE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<g stroke="${colour('card')}" stroke-width="2">${bands.join('')}</g>`,
    `<g fill="${colour('text')}"><path d="${needle}"/>`,
    `<circle cx="${centre.x}" cy="${centre.y}" r="${NEEDLE.hub}"/></g></svg>`,
  ].join('');
}

/** Size of the drawing (px). The values 0 to 100 span its whole width. */
export const SCALE = { width: 660, height: 52, top: 16, thick: 20 } as const;

const across = (value: number) => ((value / 100) * SCALE.width).toFixed(1);

function upright(value: number, reach: number, width: number): string {
  const at = across(value);
  const ends = `y1="${SCALE.top - reach}" y2="${SCALE.top + SCALE.thick + reach}"`;
  return `<line x1="${at}" x2="${at}" ${ends} stroke-width="${width}"/>`;
}

/** Returns the page's scale as an SVG without text: the zones, the mark of the score, and its range if inputs are missing. */
export function scalePicture({ score, range, verdict }: SignalView): string {
  const { width, height, top, thick } = SCALE;
  const bars = SIGNAL_ZONES.map((zone) => {
    const opacity = zone.verdict === verdict ? 1 : OTHER_ZONES.scale;
    const span = `x="${across(zone.from)}" width="${across(zone.to - zone.from)}"`;
    return `<rect ${span} y="${top}" height="${thick}" fill="${colour(VERDICT_HUES[zone.verdict])}" fill-opacity="${opacity}"/>`;
  });
  const cuts = SIGNAL_ZONES.filter(({ from }) => from > 0).map(({ from }) => upright(from, 0, 4));
  const middle = top + thick / 2;
  const whisker =
    range === null
      ? ''
      : `${upright(range.low, 4, 3)}${upright(range.high, 4, 3)}<line x1="${across(range.low)}" x2="${across(range.high)}" y1="${middle}" y2="${middle}" stroke-width="3"/>`;
  const mark = score.value === null ? '' : upright(score.value, 11, 7);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    bars.join(''),
    `<g stroke="${colour('ground')}">${cuts.join('')}</g>`,
    `<g stroke="${colour('text')}" stroke-linecap="round">${whisker}${mark}</g></svg>`,
  ].join('');
}

/** Size of the drawing of the record (px): the plot of the closes, and a lane for each verdict below it. */
export const RECORD = { width: 1000, height: 300, lane: 22, gap: 10 } as const;
export const recordHeight = ({ spells }: RecordChartView) =>
  RECORD.height + RECORD.gap + RECORD.lane * spells.length;

/** Returns the chart of `/record` as an SVG without text: the ticks, the closes, and the weeks of each verdict. */
export function recordPicture(chart: RecordChartView): string {
  const { span, scale, lines, ticks, falls } = chart;
  const { width, height, lane, gap } = RECORD;
  const whole = recordHeight(chart);
  const across = (at: number) => ((at / span.to) * width).toFixed(1);
  const down = (value: number) => ((height * (scale.high - value)) / (scale.high - scale.low)).toFixed(1);
  const lanes = verdictPaths(chart).map(({ verdict, d }, at) => {
    const path = `<path transform="scale(${width / span.to} 1)" d="${d}"`;
    const middle = height + gap + (at + 0.5) * lane;
    return [
      `<g stroke="${colour(VERDICT_HUES[verdict])}">`,
      `<g transform="translate(0 ${height / 2})" stroke-opacity="0.14" stroke-width="${height}">${path}/></g>`,
      `<g transform="translate(0 ${middle})" stroke-width="${lane * 0.8}">${path}/></g></g>`,
    ].join('');
  });
  const box = { width, height };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}">`,
    ...lanes,
    `<g stroke="${colour('line')}" stroke-width="2">`,
    ...ticks.map(({ at }) => `<line x1="${across(at)}" x2="${across(at)}" y2="${whole}"/>`),
    `</g><path fill="none" stroke="${colour('text')}" stroke-width="4" stroke-linejoin="round" d="`,
    ...lines.map((line) => plotPath(line, span, scale, box)),
    `"/><g fill="${colour('text')}">`,
    ...falls.map(({ at, value }) => `<circle cx="${across(at)}" cy="${down(value)}" r="7"/>`),
    '</g></svg>',
  ].join('');
}
