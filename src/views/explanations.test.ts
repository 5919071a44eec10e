import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { macdStatus } from '#domain/bands/score-bands.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import { VOLATILITY } from '#domain/fear-greed/score.ts';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { bandsOver, describeBandsUpward, EXPLANATIONS, type Explanation } from './explanations.ts';

const explanations: readonly [string, Explanation][] = Object.entries(EXPLANATIONS);
const methodology = readFileSync(new URL('../../docs/methodology.md', import.meta.url), 'utf8');

describe('an explanation', () => {
  test.each(explanations)('%s has two to five sentences, and no missing value', (_, { text, bands }) => {
    expect(text).toMatch(/^[A-Z].*\.$/);
    const sentences = text.match(/[.!?](?=\s|$)/g)?.length;
    expect(sentences).toBeGreaterThanOrEqual(2);
    expect(sentences).toBeLessThanOrEqual(5);
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

test('words replace numbers of the code: shares of a rank, counts of inputs, the edge of the MACD', () => {
  expect([VOLATILITY.raised.shareOfRank, VOLATILITY.alarming.shareOfRank]).toEqual([1 / 2, 1 / 5]);
  expect([SIGNAL_INPUTS.length, FEAR_GREED_COMPONENTS.length]).toEqual([7, 7]);
  expect([0.01, 0, -0.01].map(macdStatus)).toEqual(['positive', 'negative', 'negative']);
});

test('states each band with its edge', () => {
  const bands = ['High', 'Middle', 'Low'].map((label, at) => {
    const edge = [1.2, -50, Number.NEGATIVE_INFINITY][at] ?? 0;
    return { label, from: edge, above: edge };
  });
  expect(describeBandsUpward(bands)).toBe('Under −50 Low, under 1.2 Middle, else High.');
  expect(bandsOver(bands)).toBe('Over 1.2 High, over −50 Middle, else Low.');
});
