import type { Markup } from './markup.ts';

/** The hues in the light and the dark scheme. */
export const HUES = {
  growth: ['#26a69a', '#26a69a'],
  fall: ['#ef5350', '#ef5350'],
  flat: ['#8490a3', '#9aa7bd'],
  'extreme-fear': ['#dd474c', '#e5484d'],
  fear: ['#e67a38', '#f2884b'],
  neutral: ['#cf9f1b', '#e2c044'],
  greed: ['#5fae4d', '#7cc66b'],
  'extreme-greed': ['#25a26d', '#2fb67c'],
} as const;

export const PAGE_COLOURS = {
  ground: ['#f4f2ed', '#0b0f17'],
  card: ['#fdfcfa', '#121826'],
  raised: ['#f4f1ea', '#182032'],
  line: ['#dfdad0', '#243049'],
  text: ['#1a2130', '#e8edf6'],
  secondary: ['#596273', '#9aa7bd'],
  accent: ['#2563c4', '#5ea2ff'],
  'on-accent': ['#ffffff', '#0b0f17'],
  notice: ['#7d5c00', '#e2c044'],
  ...HUES,
} as const;
type PageColour = keyof typeof PAGE_COLOURS;

/** A colour with a meaning. The mail always states the meaning in words too. */
export type Hue = keyof typeof HUES;

/** A colour of the page or of a hue: `-word` for text (contrast 4.5:1), `-pale` for a zone without the score. */
export type Colour = PageColour | `${Hue}-word` | `${Hue}-pale`;

const SCHEMES = { light: 0, dark: 1 } as const;
export type Scheme = keyof typeof SCHEMES;

const BLACK = '#000000';
const WHITE = '#ffffff';

/** Red, green and blue (0–255) of a colour such as #26a69a. */
const channelsOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

/** Mixes two colours. `share` is the share of the first colour. Mail clients do not support color-mix(). */
function mixed(first: string, share: number, second: string): string {
  const others = channelsOf(second);
  const sums = channelsOf(first).map((part, at) => part * share + (others[at] ?? 0) * (1 - share));
  return `#${sums.map((sum) => Math.round(sum).toString(16).padStart(2, '0')).join('')}`;
}

const pageColour = (name: string, scheme: Scheme) => PAGE_COLOURS[name as PageColour][SCHEMES[scheme]];

/** Returns a colour in a scheme as '#rrggbb'. Mixed colours are the same as on the page. */
export function colourOf(colour: Colour, scheme: Scheme): string {
  if (colour.endsWith('-word')) {
    const hue = pageColour(colour.slice(0, -'-word'.length), scheme);
    return scheme === 'light' ? mixed(hue, 0.65, BLACK) : mixed(hue, 0.86, WHITE);
  }
  if (colour.endsWith('-pale')) {
    return mixed(pageColour(colour.slice(0, -'-pale'.length), scheme), 0.45, pageColour('card', scheme));
  }
  return pageColour(colour, scheme);
}

/** The uses of a colour, which are text, background and border, with their CSS properties. */
const PROPERTIES = { ink: 'color', fill: 'background-color', edge: 'border-color' } as const;
type Use = keyof typeof PROPERTIES;

const uses = Object.keys(PROPERTIES) as Use[];
/** Matches the classes of elements. A text of a mail cannot match, because `html` escapes quotes. */
const CLASSES = /class="([^"]*)"/g;

/**
 * Returns the attributes of an element: a style with the light colours, and classes for the dark colours. The class
 * `named` comes first. The colour of a border is inserted after each 'solid' in the style, where Outlook expects it.
 */
export function paint(
  colours: { readonly [use in Use]?: Colour },
  style = '',
  named: string | null = null,
): Markup {
  const painted = uses.flatMap((use) => (colours[use] === undefined ? [] : [{ use, colour: colours[use] }]));
  const classes = [
    ...(named === null ? [] : [named]),
    ...painted.map(({ use, colour }) => `${use}_${colour}`),
  ].join(' ');
  const light = painted
    .filter(({ use }) => use !== 'edge')
    .map(({ use, colour }) => `${PROPERTIES[use]}:${colourOf(colour, 'light')}`);
  const { edge } = colours;
  const edged = edge === undefined ? style : style.replaceAll('solid', `solid ${colourOf(edge, 'light')}`);
  const all = [...light, ...(edged === '' ? [] : [edged])].join(';');
  return { markup: `${classes === '' ? '' : ` class="${classes}"`} style="${all}"` };
}

/** Returns a rule with the dark colour for each class in `body`. Each rule begins with `selector`. */
function darkRules(body: Markup, which: readonly Use[], selector: string): string {
  const used = new Set([...body.markup.matchAll(CLASSES)].flatMap(([, names = '']) => names.split(' ')));
  return [...used]
    .sort()
    .flatMap((name) => {
      const [use, colour] = name.split('_');
      if (!which.includes(use as Use)) return [];
      const value = `${PROPERTIES[use as Use]}:${colourOf(colour as Colour, 'dark')}`;
      return [`${selector}.${name}{${value} !important}`];
    })
    .join('\n');
}

/** The dark colours for the system's scheme, and for Outlook apart: some clients drop a sheet with unknown rules. */
export function darkSheets(body: Markup): Markup {
  const sheets = [
    `@media (prefers-color-scheme:dark){\n${darkRules(body, uses, '')}\n}`,
    [darkRules(body, ['ink'], '[data-ogsc] '), darkRules(body, ['fill', 'edge'], '[data-ogsb] ')].join('\n'),
  ];
  return { markup: sheets.map((sheet) => `<style>\n${sheet}\n</style>`).join('\n') };
}
