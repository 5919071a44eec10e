import type { Badge } from '#views/outputs/cards.ts';
import { VERDICT_HUES } from '#views/zones.ts';
import { colour } from '../page/card/card-colours.ts';
import { inXml } from './feeds.ts';

/** Widths of the ASCII characters from the space on, in Verdana, in thousandths of the font size. */
const WIDTHS = [
  ...[352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454],
  ...[636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545],
  ...[1000, 684, 686, 698, 771, 632, 575, 775, 751, 421, 455, 693, 557, 843, 748, 787],
  ...[603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818, 636],
  ...[636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607],
  ...[623, 623, 427, 521, 394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818],
];
/** Width of all other characters, in thousandths of the font size. An ideograph has this width, and no character is wider. */
const WIDEST = 1000;
const FIRST = 0x20;
const SIZE = 11;
const PADDING = 6;
const BADGE_HEIGHT = 20;

/** Returns the width of a text in the badge (px). */
export function textWidth(text: string): number {
  const widths = [...text].map((character) => WIDTHS[(character.codePointAt(0) ?? 0) - FIRST] ?? WIDEST);
  return (widths.reduce((sum, width) => sum + width, 0) * SIZE) / 1000;
}

const badgeColour = ({ verdict }: Badge) => colour(verdict === null ? 'flat' : VERDICT_HUES[verdict]);

/** Draws a badge with a height of 20 px. `title` describes it to assistive technology. */
export function badgeSvg(badge: Badge, label: string, title: string): string {
  const widths = [label, badge.message].map((text) => Math.ceil(textWidth(text) + 2 * PADDING));
  const [left = 0, right = 0] = widths;
  const name = inXml(`${label}: ${badge.message}`);
  // Other fonts may be wider than Verdana. `textLength` squeezes their text into its box.
  const text = (x: number, words: string, fill: string) =>
    `<text x="${x + PADDING}" y="14" fill="${fill}" textLength="${textWidth(words).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${inXml(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${BADGE_HEIGHT}" role="img" aria-label="${name}">`,
    `<title>${name}</title>`,
    `<desc>${inXml(title)}</desc>`,
    `<clipPath id="r"><rect width="${left + right}" height="${BADGE_HEIGHT}" rx="3"/></clipPath>`,
    '<g clip-path="url(#r)">',
    `<rect width="${left}" height="${BADGE_HEIGHT}" fill="${colour('line')}"/>`,
    `<rect x="${left}" width="${right}" height="${BADGE_HEIGHT}" fill="${badgeColour(badge)}"/>`,
    '</g>',
    `<g font-family="Verdana,'DejaVu Sans',sans-serif" font-size="${SIZE}" xml:space="preserve">`,
    text(0, label, colour('text')),
    text(left, badge.message, colour('on-tone')),
    '</g>',
    '</svg>\n',
  ].join('');
}

/** Time for which shields.io caches a badge (s). */
const CACHE_SECONDS = 300;

/** Returns the badge as JSON for the endpoint badge of shields.io, which refuses any other fields. */
export function badgeJson(badge: Badge, label: string): string {
  return JSON.stringify({
    schemaVersion: 1,
    label,
    message: badge.message,
    color: badgeColour(badge).replace('#', ''),
    cacheSeconds: CACHE_SECONDS,
  });
}
