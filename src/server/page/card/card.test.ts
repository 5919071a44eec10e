import { describe, expect, it } from 'vitest';
import { EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { WHOLE } from '#tests/support/weekly-signal.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { VERDICT_HUES } from '#views/zones.ts';
import tokensCss from '#web/styles/tokens.css?raw';
import { type Card, drawable, readingCard } from './card.ts';

const NOW = Date.parse('2026-11-13T22:00:00Z');

function wordsOf(card: Card): string[] {
  const below = (node: Card['node']): string[] => {
    if (node.type === 'text') return [node.text];
    return node.type === 'container' ? (node.children ?? []).flatMap(below) : [];
  };
  return below(card.node);
}

const cardOf = (rows = FULL, productName = 'Barometer') => readingCard(dashboardView(rows, NOW), productName);

/** Returns the x coordinate of the mark on the scale. */
const markOf = ({ drawings }: Card) =>
  /<line x1="([\d.]+)"[^>]*stroke-width="7"/.exec(drawings['scale.svg'] ?? '')?.[1];

describe('the share image', () => {
  it('has the texts of the page', () => {
    const view = dashboardView(FULL, NOW);
    expect(wordsOf(cardOf())).toEqual([
      'Barometer Dashboard',
      'As of Fri 13 Nov 2026, close',
      'Market Signal',
      'HOLD',
      view.signal.score.text,
      'of 100',
      view.signal.headline,
      'SELL',
      'HOLD',
      'BUY',
      '41',
      '61',
      'Fear & Greed',
      '62.4',
      'Greed',
      '7 of 7 inputs, 2 incomplete, all from the session of Fri 13 Nov 2026. This signal is for informational purposes only and is not financial advice. It describes the market and does not forecast it.',
    ]);
  });

  it('omits Fear & Greed of an earlier session [R22]', () => {
    const card = cardOf(fullWith({ current: { created_at: '2024-11-13T21:00:00.000Z' } }));
    expect(wordsOf(card)).not.toContain('Fear & Greed');
    expect(wordsOf(card).at(-1)).toMatch(/^6 of 7 inputs, 2 incomplete, all from /);
    expect(Object.keys(card.drawings)).toEqual(['scale.svg']);
  });

  it('marks the score between 0 and 100', () => {
    const { score } = dashboardView(FULL, NOW).signal;
    expect(markOf(cardOf())).toBe(((score.value ?? Number.NaN) * 6.6).toFixed(1));
  });

  it('shows the range of the score if inputs are missing', () => {
    const ends = (card: Card) => card.drawings['scale.svg']?.match(/stroke-width="3"/g)?.length ?? 0;
    expect(ends(cardOf())).toBe(3);
    expect(dashboardView(WHOLE, NOW).signal.range).toBeNull();
    expect(ends(cardOf(WHOLE))).toBe(0);
  });

  it('shows no score and no gauge with insufficient data', () => {
    const card = cardOf(EMPTY);
    expect(wordsOf(card)).toContain('Insufficient data');
    expect(wordsOf(card)).not.toContain('of 100');
    expect(wordsOf(card).join()).not.toMatch(/Fear|As of|NaN|null|undefined/);
    expect(markOf(card)).toBeUndefined();
    expect(Object.keys(card.drawings)).toEqual(['scale.svg']);
  });

  it('is marked if the data are simulated or replayed', () => {
    for (const [source, label] of [
      ['simulated', 'Demo data: invented numbers'],
      ['replay', 'Demo data: past numbers'],
    ] as const) {
      expect(wordsOf(cardOf(fullWith({ metrics: { source } })))).toContain(label);
    }
    expect(wordsOf(cardOf()).join()).not.toContain('Demo data');
  });

  it('has no text in its drawings', () => {
    const card = cardOf(FULL, '"/><script>');
    expect(wordsOf(card)[0]).toBe('"/><script> Dashboard');
    expect(Object.values(card.drawings).join('')).not.toMatch(/script|text/);
    expect(card.css).not.toContain('script');
  });

  it('has the verdict colours of the page', () => {
    for (const [verdict, token] of Object.entries(VERDICT_HUES)) {
      const rule = new RegExp(`"${verdict}"\\][^}]*--tone: var\\(--${token}\\)`);
      expect(tokensCss).toMatch(rule);
    }
  });
});

it.each([
  ['Börsenbarometer – Süd', 'Börsenbarometer – Süd'],
  ['Барометр', 'Барометр'],
  ['Market\u202e 日本 😀 Watch', 'Market Watch'],
  ['日本', ''],
  ['A\nB\u0000', 'AB'],
  ['Zo\u0308e', 'Zöe'],
])('a product name in the font of the image %j is written %j', (name, written) => {
  expect(drawable(name)).toBe(written);
});
