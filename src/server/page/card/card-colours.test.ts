import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import tokensCss from '#web/styles/tokens.css?raw';
import { tokensOf } from './card-colours.ts';

const CSS = `/* --note: #000; */
:root {
  --ground: light-dark(#f4f2ed, #0b0f17);
  --shade: light-dark(rgb(26 33 48 / 45%), rgb(4, 6, 10));
  --growth: #26a69a;
}
@media print { :root { --ground: #ffffff; } }`;

describe('the tokens of a stylesheet', () => {
  it('are those of the first root, with the values of one scheme', () => {
    expect(tokensOf(CSS, 'dark')).toEqual({
      ground: '#0b0f17',
      shade: 'rgb(4, 6, 10)',
      growth: '#26a69a',
    });
    expect(tokensOf(CSS, 'light')).toMatchObject({ ground: '#f4f2ed', shade: 'rgb(26 33 48 / 45%)' });
  });

  it('are required in every stylesheet', () => {
    expect(() => tokensOf('body { color: red; }', 'dark')).toThrow('no custom property');
  });
});

const web = (path: string) => readFileSync(new URL(`../../../web/${path}`, import.meta.url), 'utf8');
const LIGHT = tokensOf(tokensCss, 'light');
const DARK = tokensOf(tokensCss, 'dark');

// The head of the page, the manifest and the icon cannot read the stylesheet, so they repeat its colours.
describe('the colours outside the stylesheet', () => {
  it('include the background of each scheme in the head', () => {
    const themed = [
      ...web('index.html').matchAll(/name="theme-color" media="\(([^)]*)\)" content="([^"]*)"/g),
    ];
    expect(themed.map(([, media, content]) => [media, content])).toEqual([
      ['prefers-color-scheme: light', LIGHT.ground],
      ['prefers-color-scheme: dark', DARK.ground],
    ]);
  });

  it('include the dark background in the manifest', () => {
    const manifest = JSON.parse(web('public/manifest.webmanifest'));
    expect([manifest.background_color, manifest.theme_color]).toEqual([DARK.ground, DARK.ground]);
  });

  it('include the dark theme in the icon', () => {
    const colours = [...web('public/icon.svg').matchAll(/#[0-9a-f]{6}\b/g)].map(([hex]) => hex);
    expect(colours.length).toBeGreaterThan(4);
    for (const hex of colours) expect(Object.values(DARK)).toContain(hex);
  });
});
