import { describe, expect, it } from 'vitest';
import { tokensOf } from '#server/page/card/card-colours.ts';
import tokensCss from '#web/styles/tokens.css?raw';
import { type Colour, colourOf, HUES, type Hue, PAGE_COLOURS, type Scheme } from './paint.ts';

const SCHEMES: readonly Scheme[] = ['light', 'dark'];
const ALL_HUES = Object.keys(HUES) as Hue[];

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe.each(SCHEMES)('the colours of a mail in a %s scheme', (scheme) => {
  const of = (colour: Colour) => colourOf(colour, scheme);

  it('are those of the page', () => {
    const page = tokensOf(tokensCss, scheme);
    for (const name of Object.keys(PAGE_COLOURS))
      expect([name, of(name as Colour)]).toEqual([name, page[name]]);
  });

  it('give every word a contrast of 4.5:1 on its background', () => {
    const words: Colour[] = ['text', 'secondary', 'accent', ...ALL_HUES.map((hue) => `${hue}-word` as const)];
    const pairs: [Colour, Colour][] = [
      ...words.flatMap((word): [Colour, Colour][] => [
        [word, 'card'],
        [word, 'ground'],
      ]),
      ['text', 'raised'],
      ['notice', 'raised'],
      ['on-accent', 'accent'],
    ];
    const faint = pairs.filter(([word, ground]) => contrast(of(word), of(ground)) < 4.5);
    expect(faint).toEqual([]);
  });

  it('distinguish the zone of the score from other zones', () => {
    for (const hue of ALL_HUES) expect(contrast(of(hue), of('card'))).toBeGreaterThan(2);
    for (const hue of ALL_HUES) expect(of(hue)).not.toBe(of(`${hue}-pale`));
  });
});
