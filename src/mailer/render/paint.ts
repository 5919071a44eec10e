import { type Colour, colourOf } from './mail-colours.ts';
import type { Markup } from './markup.ts';

/** The uses of a colour: text, background or border. */
const PROPERTIES = { ink: 'color', fill: 'background-color', edge: 'border-color' } as const;
type Use = keyof typeof PROPERTIES;

const uses = Object.keys(PROPERTIES) as Use[];
/** Matches no text of a mail, because `html` escapes quotes. */
const CLASSES = /class="([^"]*)"/g;

/**
 * The attributes of an element: a style with the light colours, and classes for the dark ones after the class `named`.
 * Inserts the edge's colour after each 'solid' of the style, where Outlook expects it.
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

/** A rule with the dark colour of each class in `body`, prefixed by `selector`. */
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

/**
 * The dark scheme of a mail, for clients that follow the system, and for Outlook's, which mark the elements that they
 * darken. In separate sheets, because some clients drop a whole sheet for one unknown rule.
 */
export function darkSheets(body: Markup): Markup {
  const sheets = [
    `@media (prefers-color-scheme:dark){\n${darkRules(body, uses, '')}\n}`,
    [darkRules(body, ['ink'], '[data-ogsc] '), darkRules(body, ['fill', 'edge'], '[data-ogsb] ')].join('\n'),
  ];
  return { markup: sheets.map((sheet) => `<style>\n${sheet}\n</style>`).join('\n') };
}
