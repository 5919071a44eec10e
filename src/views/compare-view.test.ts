import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { compareView } from './compare-view.ts';
import { dashboardView } from './dashboard-view.ts';

const EVENING = Date.parse('2026-11-14T01:00:00Z');
const viewOf = (rows: DashboardRows) => dashboardView(rows, EVENING);
const WEAK = { metrics: { overall_strength: 12.3 } };
const [first, weaker, none] = [viewOf(FULL), viewOf(fullWith(WEAK)), viewOf(EMPTY)];
const compare = (earlier: typeof first, later: typeof first) =>
  compareView(earlier, later, 'Thu 12 Nov 2026');

describe('two days', () => {
  const size = ((first.signal.score.value ?? 0) - (weaker.signal.score.value ?? 0)).toFixed(1);
  it.each([
    [first, weaker, `${size} points lower than Thu 12 Nov 2026, mostly Overall Strength`],
    [weaker, first, `${size} points higher than Thu 12 Nov 2026, mostly Overall Strength`],
    [first, first, 'The same score as Thu 12 Nov 2026'],
    [none, first, 'One of the two days has no score'],
    [none, none, 'Neither day has a score'],
  ])('have a headline with the change of the score and its main cause: %#', (earlier, later, headline) => {
    expect(compare(earlier, later).headline).toBe(headline);
  });

  it('list only what differs: the input by its points, the number on its scale with its new word', () => {
    expect(compare(first, first)).toMatchObject({ inputs: [], isByEffect: true, notes: [], sections: [] });
    const { inputs, sections, notes } = compare(first, weaker);
    const [was = 0, is = 0] = [first, weaker].map(
      ({ signal }) => signal.rows.find(({ input }) => input === 'overallStrength')?.points.value ?? undefined,
    );
    const name = 'Overall Strength';
    expect(inputs).toMatchObject([
      { name, differenceText: `−${(was - is).toFixed(3)}`, tone: 'negative', places: [58.1, 12.3] },
    ]);
    expect(sections).toMatchObject([
      { title: 'Exposure and strength', rows: [{ name, wordText: expect.stringMatching(/ to /) }] },
    ]);
    expect([inputs.length, sections[0]?.rows.length]).toEqual([1, 1]);
    expect(notes[0]).toMatch(/^The same on both days: Fear & Greed, /);
  });

  it('have the inputs with the largest effect first, and their sections in the same order', () => {
    const breadth = { advancing_stocks: 1, declining_stocks: 3_000 };
    const { inputs, sections } = compare(first, viewOf(fullWith({ ...WEAK, breadth })));
    const sizes = inputs.map(({ differenceText }) => Math.abs(Number(differenceText.replace('−', '-'))));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const titles = sections.map(({ title }) => title).slice(0, 2);
    const expected = ['Exposure and strength', 'Market Breadth'];
    expect(titles).toEqual(inputs[0]?.name === 'Overall Strength' ? expected : expected.reverse());
  });

  it('have no points and no main cause if different inputs were measured', () => {
    const without = viewOf({ ...FULL, breadth: null });
    const { headline, inputs, isByEffect, notes } = compare(first, without);
    expect(headline).toMatch(/^\d+\.\d points (higher|lower) than Thu 12 Nov 2026$/);
    expect(isByEffect).toBe(false);
    expect(inputs.map(({ name, texts, differenceText }) => [name, texts[1], differenceText])).toEqual([
      ['Market Breadth', '—', '—'],
    ]);
    expect(notes).toEqual([
      '7 of 7 inputs were measured on the earlier day, 6 on the later one, so their points cannot be compared.',
      expect.stringMatching(/^The same on both days: /),
    ]);
    const neither = compare(without, viewOf({ ...fullWith(WEAK), breadth: null }));
    expect(neither.notes).toEqual([
      expect.stringMatching(/^The same on both days: (?!.*Breadth)/),
      'Measured on neither day: Market Breadth.',
    ]);
  });

  it('show a number that one of them lacks with a dash, without a difference', () => {
    const { sections } = compare(first, viewOf({ ...FULL, metrics: null }));
    const rows = sections.find(({ title }) => title === 'Exposure and strength')?.rows ?? [];
    const told = rows.map(({ texts, differenceText, places }) => [texts[1], differenceText, places]);
    expect(told).toEqual(Array(2).fill(['—', '—', null]));
  });
});
