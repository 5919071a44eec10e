import type { FearGreedView } from '#views/model.ts';
import { FEAR_GREED_ZONES } from '#views/zones.ts';
import { GAUGE, gaugeBand, gaugeNeedle } from '#web/panels/fear-greed/gauge-geometry.ts';
import { colour } from './card-colours.ts';

const { inner, centre, width } = GAUGE;
const OTHER_ZONES = 0.3;
const NEEDLE = { foot: 0, halfWidth: 7, hub: 11 } as const;

/** Size of the drawing: the page's gauge, and the part of the needle's hub that is below the gauge. */
export const GAUGE_SIZE = { width, height: centre.y + NEEDLE.hub + 1 } as const;

/**
 * Returns the page's gauge as an SVG without text. It has the needle and all zones. Only the current zone is bright.
 */
export function gaugePicture({ current }: FearGreedView): string {
  const bands = FEAR_GREED_ZONES.map(({ zone, from, to }) => {
    const opacity = zone === current.zone ? 1 : OTHER_ZONES;
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
