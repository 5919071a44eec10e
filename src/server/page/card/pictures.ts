import type { FearGreedView, SignalView } from '#views/model.ts';
import { FEAR_GREED_ZONES, SIGNAL_ZONES } from '#views/zones.ts';
import { GAUGE, gaugeBand, gaugeNeedle } from '#web/panels/fear-greed/gauge-geometry.ts';
import { colour, VERDICT_COLOURS } from './card-colours.ts';

const { inner, centre, width } = GAUGE;
/** Opacities of the zones that are not the current one. */
const OTHER_ZONES = { gauge: 0.3, scale: 0.45 } as const;
const NEEDLE = { foot: 0, halfWidth: 7, hub: 11 } as const;

/** Size of the drawing: the page's gauge, and the part of the needle's hub that is below the gauge. */
export const GAUGE_SIZE = { width, height: centre.y + NEEDLE.hub + 1 } as const;

/**
 * Returns the page's gauge as an SVG without text. It has the needle and all zones. Only the current zone is bright.
 */
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

/**
 * Returns the page's scale as an SVG without text: the zones of the verdicts, the mark of the score, and the range of
 * the score if inputs are missing.
 */
export function scalePicture({ score, range, verdict }: SignalView): string {
  const { width, height, top, thick } = SCALE;
  const bars = SIGNAL_ZONES.map((zone) => {
    const opacity = zone.verdict === verdict ? 1 : OTHER_ZONES.scale;
    const span = `x="${across(zone.from)}" width="${across(zone.to - zone.from)}"`;
    return `<rect ${span} y="${top}" height="${thick}" fill="${colour(VERDICT_COLOURS[zone.verdict])}" fill-opacity="${opacity}"/>`;
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
