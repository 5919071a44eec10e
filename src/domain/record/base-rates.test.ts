import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { secondBaseRates } from '#tests/support/second-base-rates.ts';
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
const rates = (days: readonly IndexDay[], seed = 1) => baseRates(days, noise(seed));

/** The days as CSV, the input of the independent implementation in the tests' support folder. */
const csvOf = (days: readonly IndexDay[]) =>
  `date,fear_greed,close\n${days.map(({ session, fearGreed, close }) => `${session},${fearGreed ?? ''},${close ?? ''}`).join('\n')}\n`;

describe('the base rates of the Fear & Greed bands', () => {
  it('equal those of an independent implementation, with intervals within 0.1', () => {
    const second = secondBaseRates(csvOf(DAYS), noise(9));
    const cells = rates(DAYS).flatMap(({ horizon, bands }) => bands.map((band) => ({ horizon, ...band })));
    expect(cells.filter(({ difference }) => difference !== null)).toHaveLength(15);
    for (const { horizon, label, weeks, figures, difference, worst } of cells) {
      const other = second.get(`${horizon} ${label}`);
      expect(weeks).toBe(other?.weeks);
      expect(figures?.mean).toBeCloseTo(other?.mean ?? Number.NaN, 9);
      expect(figures?.median).toBeCloseTo(other?.median ?? Number.NaN, 9);
      expect(figures?.higher).toBeCloseTo(other?.higher ?? Number.NaN, 9);
      expect(worst?.changePercent).toBeCloseTo(other?.worst ?? Number.NaN, 9);
      expect(difference?.value).toBeCloseTo(other?.difference ?? Number.NaN, 9);
      expect(Math.abs((difference?.low ?? Number.NaN) - (other?.low ?? Number.NaN))).toBeLessThan(0.1);
      expect(Math.abs((difference?.high ?? Number.NaN) - (other?.high ?? Number.NaN))).toBeLessThan(0.1);
    }
  });

  it('are the same if each week is repeated five times', () => {
    const lastOfWeek = DAYS.filter(({ session }) => new Date(session).getUTCDay() === 5);
    const repeated = lastOfWeek.flatMap((day) => [day, day, day, day, day]);
    expect(rates(repeated)).toEqual(rates(lastOfWeek));
  });

  it('take one sample per week, so that daily rows narrow no interval', () => {
    const weekly = DAYS.filter(({ session, fearGreed, close }, at) => {
      const next = DAYS.slice(at + 1).find((day) => day.fearGreed !== null && day.close !== null);
      const isLast =
        next === undefined || new Date(next.session).getUTCDay() <= new Date(session).getUTCDay();
      return fearGreed !== null && close !== null && isLast;
    });
    expect(rates(DAYS)).toEqual(rates(weekly));
  });

  it('leave out the newest week until its last session', () => {
    expect(rates(wanderingDays('2008-01-07', '2026-11-19', 3))).toEqual(
      rates(wanderingDays('2008-01-07', '2026-11-13', 3)),
    );
  });

  it('depend on the seed in their intervals only', () => {
    expect(rates(DAYS, 2)).toEqual(rates(DAYS, 2));
    const plain = (seed: number) =>
      rates(DAYS, seed).map(({ bands }) => bands.map(({ difference, ...rest }) => rest));
    expect(plain(3)).toEqual(plain(4));
    expect(rates(DAYS, 3)).not.toEqual(rates(DAYS, 4));
  });

  it('have only counts and the worst change if there are fewer than 8 non-overlapping windows', () => {
    const fear = { fearGreed: 30 };
    const friday = (week: number) => new Date(Date.UTC(2026, 0, 9 + 7 * week)).toISOString().slice(0, 10);
    const days = (count: number) =>
      Array.from({ length: count }, (_, week) => ({
        session: friday(week),
        close: week === 3 ? 90 : 100,
        ...fear,
      }));
    // The 31 windows of four weeks include 7 that do not overlap.
    const [, few] = rates(days(35));
    expect(few?.all).toMatchObject({ weeks: 31, spells: 1, figures: null });
    expect(few?.bands[1]).toMatchObject({ label: 'Fear', weeks: 31, figures: null, difference: null });
    expect(few?.all.worst).toEqual({ session: friday(3 - 3), changePercent: 0 });
    const [week, enough] = rates(days(36));
    expect(enough?.bands[1]?.figures).toMatchObject({ median: 0 });
    expect(enough?.bands[1]?.difference).toEqual({ value: 0, low: 0, high: 0 });
    expect(week?.all.worst).toMatchObject({ session: friday(2) });
    expect(week?.all.worst?.changePercent).toBeCloseTo(-10);
  });

  it('count the uninterrupted series of weeks in a band, which are 0 without days', () => {
    const friday = (week: number) => new Date(Date.UTC(2026, 0, 9 + 7 * week)).toISOString().slice(0, 10);
    const days = [10, 10, 60, 10, 60, 60].map((fearGreed, week) => ({
      session: friday(week),
      fearGreed,
      close: 100,
    }));
    const [week] = rates(days);
    expect(week?.bands.map(({ weeks, spells }) => [weeks, spells])).toEqual([
      [3, 2],
      [0, 0],
      [0, 0],
      [2, 2],
      [0, 0],
    ]);
    expect(rates([])[0]?.all).toEqual({ weeks: 0, spells: 0, figures: null, worst: null });
  });
});
