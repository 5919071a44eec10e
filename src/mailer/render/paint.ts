import { type Colour, colourOf } from './mail-colours.ts';
import type { Markup } from './markup.ts';

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

/**
 * Returns the style sheets with the dark colours of a mail. One is for clients that follow the scheme of the system,
 * the other is for Outlook, which marks the elements that it darkens. Two sheets are needed, because some clients
 * ignore a whole sheet if they do not know one of its rules.
 */
export function darkSheets(body: Markup): Markup {
  const sheets = [
    `@media (prefers-color-scheme:dark){\n${darkRules(body, uses, '')}\n}`,
    [darkRules(body, ['ink'], '[data-ogsc] '), darkRules(body, ['fill', 'edge'], '[data-ogsb] ')].join('\n'),
  ];
  return { markup: sheets.map((sheet) => `<style>\n${sheet}\n</style>`).join('\n') };
}
