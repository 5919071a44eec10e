import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { macdStatus } from '#domain/bands/sentiment-bands.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import { VOLATILITY } from '#domain/fear-greed/score.ts';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { bandsOver, describeBandsUpward, type Explanation } from './band-words.ts';
import { dashboardView } from './dashboard-view.ts';
import { EXPLANATIONS } from './explanations.ts';

const explanations: readonly [string, Explanation][] = Object.entries(EXPLANATIONS);
const methodology = readFileSync(new URL('../../docs/methodology.md', import.meta.url), 'utf8');

describe('an explanation', () => {
  test.each(explanations)('%s has two to five sentences', (_, { text }) => {
    expect(text).toMatch(/^[A-Z].*\.$/);
    const sentences = text.match(/[.!?](?=\s|$)/g)?.length;
    expect(sentences).toBeGreaterThanOrEqual(2);
    expect(sentences).toBeLessThanOrEqual(5);
  });

  test.each(explanations)('%s has no missing value', (_, { text, bands }) => {
    expect(`${text} ${bands ?? ''}`.trim()).not.toMatch(/undefined|NaN|Infinity|\s{2}/);
  });

  test.each(explanations)('%s has its name, numbers and bands in the methodology', (_, explanation) => {
    const { name, text, bands } = explanation;
    expect(methodology).toContain(name);
    if (bands !== undefined) expect(methodology).toContain(bands);
    const numbers = text.match(/\d[\d,.]*(?<=\d)/g) ?? [];
    expect(numbers.filter((number) => !methodology.includes(number))).toEqual([]);
  });

  test('exists for every metric, with a unique name', () => {
    const names = explanations.map(([, { name }]) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('every metric of the page has the same name in its explanation', () => {
  const view = dashboardView(FULL, Date.parse('2026-11-13T22:00:00Z'));
  const named = (items: readonly { key: string; name: string }[] = []) =>
    items.map(({ key, name }) => [key, name]);
  const shown = [
    ...view.signal.rows.map(({ input, name }) => [input, name]),
    ...(view.sentiment?.cards ?? []).map(({ timeframe, title }) => [timeframe, title]),
    ...(view.sentiment?.cards ?? []).flatMap(({ indicators }) => named(indicators)),
    ...named(view.fearGreed?.components),
    ...(view.metrics?.cards ?? []).map(({ key, title }) => [key, title]),
    ...named(view.advanced?.indicators?.items),
  ];

  test.each(shown)('names %s as %s', (key = '', name) => {
    expect(new Map(explanations).get(key)?.name).toBe(name);
  });

  test('applies to every metric without exception', () => {
    const keys = shown.map(([key]) => key);
    expect(keys).toEqual(expect.arrayContaining([...SIGNAL_INPUTS, ...FEAR_GREED_COMPONENTS]));
    const elsewhere = ['age', 'indices', 'signal', 'breakdown', 'advanceDecline'];
    expect([...new Set([...keys, ...elsewhere])].sort()).toEqual(Object.keys(EXPLANATIONS).sort());
  });
});

describe('words that replace numbers of the code', () => {
  test('name half and a fifth of the rank of the volatility', () => {
    expect([VOLATILITY.raised.shareOfRank, VOLATILITY.alarming.shareOfRank]).toEqual([1 / 2, 1 / 5]);
  });

  test('name seven inputs, seven components and three indices', () => {
    expect([SIGNAL_INPUTS.length, FEAR_GREED_COMPONENTS.length]).toEqual([7, 7]);
  });

  test('name a MACD over 0 as positive, otherwise as negative', () => {
    expect([macdStatus(0.01), macdStatus(0), macdStatus(-0.01)]).toEqual([
      'positive',
      'negative',
      'negative',
    ]);
  });
});

test('states each band with its edge', () => {
  const rest = Number.NEGATIVE_INFINITY;
  const from = [
    { from: 1.2, label: 'High' },
    { from: -50, label: 'Middle' },
    { from: rest, label: 'Low' },
  ];
  expect(describeBandsUpward(from)).toBe('Under −50 Low, under 1.2 Middle, else High.');
  const above = [
    { above: 50, label: 'High' },
    { above: -50, label: 'Middle' },
    { above: rest, label: 'Low' },
  ];
  expect(bandsOver(above)).toBe('Over 50 High, over −50 Middle, else Low.');
});
