import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { compareView } from './compare-view.ts';
import { dashboardView } from './dashboard-view.ts';

const EVENING = Date.parse('2026-11-14T01:00:00Z');
const viewOf = (rows: DashboardRows) => dashboardView(rows, EVENING);
const FIRST = viewOf(FULL);
const weaker = viewOf({ ...FULL, metrics: FULL.metrics && { ...FULL.metrics, overall_strength: 12.3 } });
const compare = (earlier: typeof FIRST, later: typeof FIRST) =>
  compareView(earlier, later, 'Thu 12 Nov 2026');

describe('two days', () => {
  it('have a headline with the change of the score and its main cause', () => {
    const points = ({ signal }: typeof FIRST) => signal.score.value ?? Number.NaN;
    const size = (points(FIRST) - points(weaker)).toFixed(1);
    expect(compare(FIRST, weaker).headline).toBe(
      `${size} points lower than Thu 12 Nov 2026, mostly Overall Strength`,
    );
    expect(compare(weaker, FIRST).headline).toBe(
      `${size} points higher than Thu 12 Nov 2026, mostly Overall Strength`,
    );
    expect(compare(FIRST, FIRST)).toEqual({
      headline: 'The same score as Thu 12 Nov 2026',
      inputs: [],
      isByEffect: true,
      notes: [],
      sections: [],
    });
    expect(compare(weaker, FIRST).notes[0]).toMatch(/^The same on both days: Fear & Greed, /);
    expect(compare(viewOf(EMPTY), FIRST).headline).toBe('One of the two days has no score');
    expect(compare(viewOf(EMPTY), viewOf(EMPTY)).headline).toBe('Neither day has a score');
  });

  it('list only what differs: the input by its points, the number on its scale with its new word', () => {
    const { inputs, sections } = compare(FIRST, weaker);
    const [was = Number.NaN, is = Number.NaN] = [FIRST, weaker].map(
      ({ signal }) => signal.rows.find(({ input }) => input === 'overallStrength')?.points.value ?? undefined,
    );
    expect(inputs).toEqual([
      expect.objectContaining({
        name: 'Overall Strength',
        differenceText: `−${(was - is).toFixed(3)}`,
        tone: 'negative',
        places: [58.1, 12.3],
      }),
    ]);
    expect(sections).toEqual([
      {
        title: 'Exposure and strength',
        rows: [
          expect.objectContaining({ name: 'Overall Strength', wordText: expect.stringMatching(/ to /) }),
        ],
      },
    ]);
  });

  it('have the inputs with the largest effect first, and their sections in the same order', () => {
    const other = viewOf({
      ...FULL,
      metrics: FULL.metrics && { ...FULL.metrics, overall_strength: 12.3 },
      breadth: FULL.breadth && { ...FULL.breadth, advancing_stocks: 1, declining_stocks: 3_000 },
    });
    const { inputs, sections } = compare(FIRST, other);
    const sizes = inputs.map(({ differenceText }) => Math.abs(Number(differenceText.replace('−', '-'))));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(sections.map(({ title }) => title).slice(0, 2)).toEqual(
      inputs[0]?.name === 'Overall Strength'
        ? ['Exposure and strength', 'Market Breadth']
        : ['Market Breadth', 'Exposure and strength'],
    );
  });

  it('have no points and no main cause if different inputs were measured', () => {
    const without = viewOf({ ...FULL, breadth: null });
    const { headline, inputs, isByEffect, notes } = compare(FIRST, without);
    expect(headline).toMatch(/^\d+\.\d points (higher|lower) than Thu 12 Nov 2026$/);
    expect([
      isByEffect,
      inputs.map(({ name, texts, differenceText }) => [name, texts[1], differenceText]),
    ]).toEqual([false, [['Market Breadth', '—', '—']]]);
    expect(notes[0]).toBe(
      '7 of 7 inputs were measured on the earlier day, 6 on the later one, so their points cannot be compared.',
    );
    expect(notes[1]).toMatch(/^The same on both days: /);
    const neither = compare(
      without,
      viewOf({
        ...FULL,
        breadth: null,
        metrics: FULL.metrics && { ...FULL.metrics, overall_strength: 12.3 },
      }),
    );
    expect(neither.notes.at(-1)).toBe('Measured on neither day: Market Breadth.');
    expect(neither.notes[0]).toMatch(/^The same on both days: (?!.*Breadth)/);
  });

  it('show a number that one of them lacks with a dash, without a difference', () => {
    const { sections } = compare(FIRST, viewOf({ ...FULL, metrics: null }));
    const rows = sections.find(({ title }) => title === 'Exposure and strength')?.rows ?? [];
    expect(rows.map(({ texts, differenceText, places }) => [texts[1], differenceText, places])).toEqual([
      ['—', '—', null],
      ['—', '—', null],
    ]);
  });
});
