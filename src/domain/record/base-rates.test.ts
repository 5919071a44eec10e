import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { secondBaseRates } from '#tests/support/second-base-rates.ts';
import { simulatedIndex, TABLE_SESSIONS, withSimulatedChanges } from '#tests/support/unrelated-changes.ts';
import { sessionsBetween } from '../calendar/sessions.ts';
import { baseRates, type IndexDay } from './base-rates.ts';

/**
 * Days of complete weeks. Their Fear & Greed index wanders through all bands, and their closes rise more after fear.
 */
function wanderingDays(from: string, to: string, seed: number): IndexDay[] {
  const next = noise(seed);
  let index = 50;
  let close = 1_000;
  return sessionsBetween(from, to).map((session) => {
    index = Math.min(99, Math.max(1, index + 26 * (next() - 0.5) + 0.02 * (50 - index)));
    close *= 1 + 0.03 * (next() - 0.49) + 0.00002 * (50 - index);
    return { session, fearGreed: next() < 0.01 ? null : index, close: next() < 0.01 ? null : close };
  });
}

const DAYS = wanderingDays('2008-01-07', '2026-11-20', 3);

/** The days as CSV, the input of the independent implementation in the tests' support folder. */
const csvOf = (days: readonly IndexDay[]) =>
  `date,fear_greed,close\n${days.map(({ session, fearGreed, close }) => `${session},${fearGreed ?? ''},${close ?? ''}`).join('\n')}\n`;

describe('the base rates of the Fear & Greed bands', () => {
  it('equal those of an independent implementation, with intervals within 0.1', () => {
    const second = secondBaseRates(csvOf(DAYS), noise(9));
    const cells = baseRates(DAYS).flatMap(({ horizon, bands }) =>
      bands.map((band) => ({ horizon, ...band })),
    );
    expect(cells.filter(({ difference }) => difference !== null)).toHaveLength(15);
    for (const { horizon, label, count, figures, difference, worst } of cells) {
      const other = second.get(`${horizon} ${label}`);
      expect(count).toBe(other?.weeks);
      expect(figures?.mean).toBeCloseTo(other?.mean ?? Number.NaN, 9);
      expect(figures?.median).toBeCloseTo(other?.median ?? Number.NaN, 9);
      expect(figures?.higher).toBeCloseTo(other?.higher ?? Number.NaN, 9);
      expect(worst?.changePercent).toBeCloseTo(other?.worst ?? Number.NaN, 9);
      expect(difference?.value).toBeCloseTo(other?.difference ?? Number.NaN, 9);
      expect(Math.abs((difference?.low ?? Number.NaN) - (other?.low ?? Number.NaN))).toBeLessThan(0.1);
      expect(Math.abs((difference?.high ?? Number.NaN) - (other?.high ?? Number.NaN))).toBeLessThan(0.1);
    }
  });

  it('take the first close of each week', () => {
    expect(baseRates(wanderingDays('2008-01-07', '2026-11-19', 3))).toEqual(
      baseRates(wanderingDays('2008-01-07', '2026-11-16', 3)),
    );
    expect(baseRates(wanderingDays('2008-01-07', '2026-11-16', 3))).not.toEqual(
      baseRates(wanderingDays('2008-01-07', '2026-11-13', 3)),
    );
  });

  /** The sessions of whole weeks, with an index in the first weeks and a close that is the same for a week. */
  function daysOf(index: readonly number[], closeOf: (week: number) => number, weeks: number): IndexDay[] {
    const monday = Date.parse('2026-01-05');
    const last = new Date(monday + (7 * weeks - 1) * 86_400_000).toISOString().slice(0, 10);
    return sessionsBetween('2026-01-05', last).map((session) => {
      const week = Math.floor((Date.parse(session) - monday) / (7 * 86_400_000));
      return { session, fearGreed: index[week] ?? null, close: closeOf(week) };
    });
  }

  it('have only counts and the worst change if there are fewer than 8 non-overlapping windows', () => {
    const days = (count: number) =>
      daysOf(
        Array.from({ length: count }, () => 30),
        (week) => (week === 3 ? 90 : 100),
        count,
      );
    // The 28 windows of four weeks include 7 that do not overlap.
    const [, few] = baseRates(days(33));
    expect(few?.all).toMatchObject({ count: 28, separate: 7, spells: 1, figures: null });
    expect(few?.bands[1]).toMatchObject({ label: 'Fear', count: 28, figures: null, difference: null });
    expect(few?.all.worst).toEqual({ session: '2026-01-09', changePercent: 0 });
    const [week, enough] = baseRates(days(34));
    expect(enough?.bands[1]?.figures).toMatchObject({ median: 0 });
    expect(enough?.bands[1]?.difference).toEqual({ value: 0, low: 0, high: 0, standsOut: false });
    expect(week?.all.worst).toMatchObject({ session: '2026-01-16' });
    expect(week?.all.worst?.changePercent).toBeCloseTo(-10);
  });

  it('count the uninterrupted series of weeks in a band, which are 0 without days', () => {
    const [week] = baseRates(daysOf([10, 10, 60, 10, 60, 60], () => 100, 8));
    expect(week?.bands.map(({ count, spells }) => [count, spells])).toEqual([
      [3, 2],
      [0, 0],
      [0, 0],
      [3, 2],
      [0, 0],
    ]);
    expect(baseRates([])[0]?.all).toEqual({ count: 0, separate: 0, spells: 0, figures: null, worst: null });
  });
});

describe('base rates of changes that are unrelated to the index', () => {
  const tables = Array.from({ length: 60 }, (_, at) =>
    baseRates(withSimulatedChanges(simulatedIndex(TABLE_SESSIONS, `index ${at}`), `changes ${at}`)),
  );
  const differences = tables.map((table) =>
    table.flatMap(({ bands }) => bands.flatMap(({ difference }) => difference ?? [])),
  );

  it('stand out in few tables of 260 weeks', () => {
    expect(differences.filter((table) => table.some(({ standsOut }) => standsOut)).length).toBeLessThan(7);
  });

  it('have intervals of which about one in ten misses zero', () => {
    const all = differences.flat();
    expect(all.length).toBeGreaterThan(700);
    const missing = all.filter(({ low, high }) => low > 0 || high < 0).length;
    expect(missing / all.length).toBeGreaterThan(0.06);
    expect(missing / all.length).toBeLessThan(0.14);
  });
});
