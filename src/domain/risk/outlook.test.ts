import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { largestDifference, secondOutlooks } from '#tests/support/second-outlook.ts';
import { formatDay, parseDay } from '../calendar/days.ts';
import { sessionsBetween } from '../calendar/sessions.ts';
import { judgeWeeks } from './judgement.ts';
import { riskWeeks } from './outlook.ts';
import type { DailyCloses } from './past-weeks.ts';
import { worstByBand } from './worst-by-band.ts';

/** A market of `count` sessions from 2004 on, whose volatility rises and falls, with a VIX that follows it. */
function simulated(count: number): DailyCloses {
  const random = noise(7);
  const sessions = sessionsBetween('2004-01-05', '2016-12-30').slice(0, count);
  const sizes = sessions.map((_, at) => 0.01 * Math.exp(0.6 * Math.sin(at / 90) + 0.4 * (random() - 0.5)));
  let close = 1_000;
  const closes = Float64Array.from(sizes, (size) => {
    close *= Math.exp(3.4 * size * (random() - 0.5));
    return close;
  });
  return { sessions, closes, vix: Float64Array.from(sizes, (size) => 100 * size * Math.sqrt(252)) };
}

const HISTORY = simulated(3_200);
const first = ({ sessions, closes, vix }: DailyCloses, count: number): DailyCloses => ({
  sessions: sessions.slice(0, count),
  closes: closes.slice(0, count),
  vix: vix.slice(0, count),
});
const none = new Float64Array(HISTORY.closes.length).fill(Number.NaN);
const outlooks = (history: DailyCloses) => riskWeeks(history).map(({ outlook }) => outlook);

describe('the risk outlook', () => {
  it('equals a second implementation', () => {
    const { sessions, closes, vix } = HISTORY;
    const second = secondOutlooks(sessions, [...closes], [...vix]);
    const ours = outlooks(HISTORY);
    expect(ours.length).toBeGreaterThan(120);
    expect(new Set(ours.map(({ band }) => band)).size).toBeGreaterThan(1);
    expect(largestDifference(ours, second)).toBeLessThan(1e-9);
  });

  it('says nothing else about a week after later sessions are removed', () => {
    const all = outlooks(first(HISTORY, 3_060));
    let compared = 0;
    for (let count = 3_059; count > 2_560; count -= 23) {
      const last = HISTORY.sessions[count - 1] ?? '';
      // The last week of a shorter history may be unfinished.
      const known = outlooks(first(HISTORY, count)).filter(({ session }) => session < last);
      expect(known).toEqual(all.slice(0, known.length));
      compared += known.length;
    }
    expect(compared).toBeGreaterThan(800);
  });

  it('knows the outcome of a week after 20 sessions', () => {
    const weeks = riskWeeks(HISTORY);
    const { sessions, closes } = HISTORY;
    const open = weeks.filter(({ outcome }) => outcome === null).map(({ outlook }) => outlook.session);
    expect(open.every((session) => sessions.indexOf(session) + 20 >= sessions.length)).toBe(true);
    const { outlook, outcome } = weeks[0] ?? expect.fail();
    const at = sessions.indexOf(outlook.session);
    const next = [...closes.slice(at, at + 21)];
    const squares = next.slice(1).map((close, step) => Math.log(close / (next[step] ?? Number.NaN)) ** 2);
    expect(outcome?.volatility).toBeCloseTo(
      Math.sqrt(squares.reduce((sum, square) => sum + square) / 20),
      12,
    );
    expect(outcome?.worst).toBeCloseTo(Math.min(...next.slice(1)) / (next[0] ?? Number.NaN) - 1, 12);
    expect(outcome?.changes[1]).toBeCloseTo((next[10] ?? Number.NaN) / (next[0] ?? Number.NaN) - 1, 12);
  });

  it('leaves out the weeks around a split, and says the same about all others', () => {
    const at = 3_050;
    const split = HISTORY.closes.map((close, place) => (place < at ? close : close / 2));
    const weeks = riskWeeks({ ...HISTORY, closes: split });
    const place = ({ session }: { session: string }) => HISTORY.sessions.indexOf(session);
    const plain = new Map(riskWeeks(HISTORY).map((week) => [week.outlook.session, week]));
    for (const { outlook, outcome } of weeks) {
      const from = place(outlook);
      expect(from < at || from >= at + 22).toBe(true);
      if (from < at) expect(outlook).toEqual(plain.get(outlook.session)?.outlook);
      expect(outcome === null).toBe((from < at && from + 20 >= at) || from + 20 >= HISTORY.sessions.length);
      // Four weeks fewer are known.
      const other = plain.get(outlook.session)?.outlook.volatility.middle ?? Number.NaN;
      expect(Math.abs(outlook.volatility.middle / other - 1)).toBeLessThan(0.05);
    }
    expect(weeks.length).toBeGreaterThan(plain.size - 6);
  });

  it('needs ten years of history', () => {
    expect(riskWeeks({ sessions: [], closes: new Float64Array(), vix: new Float64Array() })).toEqual([]);
    expect(riskWeeks(first(HISTORY, 2_540))).toEqual([]);
    expect(riskWeeks(first(HISTORY, 2_600)).length).toBeGreaterThan(0);
  });

  it('comes from the closes alone without a VIX, and where the VIX is younger than ten years', () => {
    const young = HISTORY.vix.map((value, at) => (at < 1_500 ? Number.NaN : value));
    for (const vix of [none, young]) {
      const [one] = outlooks({ ...HISTORY, vix }).slice(-1);
      expect(one).toMatchObject({ inputs: 'closes' });
      expect(Number.isFinite(one?.volatility.high) && Number.isFinite(one?.worstLine)).toBe(true);
    }
    expect(outlooks({ ...HISTORY, vix: none }).every(({ band }) => band === null)).toBe(true);
    expect(outlooks(HISTORY).at(-1)).toMatchObject({ inputs: 'vix and closes' });
  });

  it('carries a missing VIX over five sessions', () => {
    const lacking = (count: number) => {
      const vix = HISTORY.vix.slice();
      vix.fill(Number.NaN, vix.length - count);
      return outlooks({ ...HISTORY, vix }).at(-1)?.inputs;
    };
    expect([lacking(5), lacking(6)]).toEqual(['vix and closes', 'closes']);
  });

  it.each([
    ['a flat market', () => HISTORY.closes.map(() => 1_000)],
    ['a fall of 20 % in a day', () => HISTORY.closes.map((close, at) => (at < 3_100 ? close : 0.8 * close))],
    [
      'sessions without a close',
      () => HISTORY.closes.map((close, at) => (at % 7 === 3 ? Number.NaN : close)),
    ],
    ['weeks without sessions', () => HISTORY.closes.map((close, at) => (at % 100 < 10 ? Number.NaN : close))],
  ])('has finite figures in %s', (_, closesOf) => {
    for (const { volatility, worstLine, fall, half, most } of outlooks({ ...HISTORY, closes: closesOf() })) {
      const { low, middle, high } = volatility;
      expect([low, middle, high, worstLine, fall, ...half, ...most].every(Number.isFinite)).toBe(true);
      expect(low <= high && fall >= 0 && fall <= 1).toBe(true);
    }
  });
});

describe('the judgement of outlooks', () => {
  const range = (low: number, middle: number, high: number) => ({ low, middle, high });
  const week = (at: number, volatility: number, worst: number) => ({
    outlook: {
      session: formatDay(parseDay('2020-01-03') + 7 * at),
      volatility: range(0.008, 0.01, 0.014),
      usual: range(0.005, 0.02, 0.03),
      vixAlone: at === 0 ? null : range(0.008, 0.011, 0.014),
      ...{ band: null, worstLine: -0.04, fall: at % 2 === 0 ? 0.1 : 0.3, usualFall: 0.2 },
      ...{ half: [0, 0, 0, 0.02], most: [0, 0, 0, 0.04] },
    },
    outcome: { volatility, worst, changes: [0, 0, 0, worst] },
  });

  it('has the shares, the losses and the skill', () => {
    const judged = judgeWeeks([week(0, 0.01, -0.01), week(1, 0.01, -0.05), week(2, 0.02, -0.03)]);
    const losses = Math.log(2) ** 2;
    expect(judged).toMatchObject({
      ...{ weeks: 3, first: '2020-01-03', last: '2020-01-17', vix: null, overVix: null, needed: 52 },
      ours: { error: losses / 3, covered: 2 / 3, fall: (0.1 ** 2 + 0.7 ** 2 + 0.1 ** 2) / 3 },
      usual: { error: (2 * losses) / 3, covered: 1 },
      ...{ crossed: 1 / 3, withinHalf: 1 / 3, withinMost: 2 / 3 },
      falls: [
        { stated: 0.1, happened: 0, weeks: 2 },
        { stated: 0.3, happened: 1, weeks: 1 },
      ],
    });
    expect(judged?.skill.value).toBeCloseTo(0.5, 12);
    expect(judged?.ranges.map(({ happened }) => happened)).toEqual([0, 0, 2 / 3]);
    expect(judgeWeeks([])).toBeNull();
  });

  it('needs more weeks the less certain the advantage is, and none suffice without one', () => {
    const weeks = (isLost: (at: number) => boolean) =>
      Array.from({ length: 130 }, (_, at) => week(at, isLost(at) ? 0.02 : 0.01, -0.01));
    const needed = (isLost: (at: number) => boolean) => judgeWeeks(weeks(isLost))?.needed;
    expect(needed(() => false)).toBe(52);
    expect(needed((at) => at % 26 < 10)).toBeGreaterThan(52);
    expect(needed(() => true)).toBeNull();
  });
});

it('the table of the worst closes counts weeks and spells by band of the VIX', () => {
  const count = 1_000;
  const calm = (at: number) => at % 500 < 400;
  const closes = Float64Array.from({ length: count }, (_, at) => (at === 450 ? 900 : 1_000));
  const vix = Float64Array.from({ length: count }, (_, at) => (calm(at) ? 12 : 30));
  const [low, high, ...rest] = worstByBand({ ...first(HISTORY, count), closes, vix });
  expect(rest).toEqual([]);
  expect(low).toMatchObject({ band: 'below 15', spells: 2, median: 0, tenth: 0 });
  expect(high).toMatchObject({ band: '25 or more', spells: 2 });
  expect(high?.worst).toBeCloseTo(-0.1, 12);
  expect(HISTORY.sessions.indexOf(high?.worstSession ?? '')).toBeGreaterThan(428);
  // The 20 sessions after four weeks include the fall.
  expect(high?.fall).toBeCloseTo(4 / (high?.weeks ?? 0), 12);
  expect(high?.fallInterval.low).toBeLessThan(high?.fall ?? 0);
  expect(high?.fallInterval.high).toBeGreaterThan(high?.fall ?? 1);
});
