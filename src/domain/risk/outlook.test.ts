import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { secondOutlooks } from '#tests/support/second-outlook.ts';
import { formatDay, parseDay } from '../calendar/days.ts';
import { isSession } from '../calendar/sessions.ts';
import { type DailyCloses, riskWeeks } from './outlook.ts';

/** A market of `count` sessions from 2004 on, whose volatility clusters, with a VIX that follows it. */
function simulated(count: number): DailyCloses {
  const uniform = noise(7);
  // Never 0, which has no logarithm.
  const random = () => uniform() + 2 ** -33;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const sessions: string[] = [];
  for (let day = parseDay('2004-01-05'); sessions.length < count; day += 1) {
    if (isSession(formatDay(day))) sessions.push(formatDay(day));
  }
  const [closes, vix] = [new Float64Array(count), new Float64Array(count)];
  let [close, log] = [1_000, Math.log(0.01)];
  for (let at = 0; at < count; at += 1) {
    log += 0.03 * (Math.log(0.01) - log) + 0.12 * normal();
    close *= Math.exp(Math.exp(log) * normal());
    closes[at] = close;
    vix[at] = 100 * Math.exp(log + 0.1 * normal()) * Math.sqrt(252);
  }
  return { sessions, closes, vix };
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
    expect(ours.map(({ session }) => session)).toEqual(second.map(({ session }) => session));
    ours.forEach(({ volatility, usualVolatility, worstLine, fall }, at) => {
      const { low, middle, high, usual, line, fall: otherFall } = second[at] ?? expect.fail();
      const pairs = [
        [volatility.low, low],
        [volatility.middle, middle],
        [volatility.high, high],
        [usualVolatility, usual],
        [worstLine, line],
        [fall, otherFall],
      ] as const;
      for (const [one, other] of pairs)
        expect(Math.abs(one - other)).toBeLessThan(1e-9 * Math.abs(other) + 1e-15);
    });
  });

  it('says nothing else about a week after later sessions are removed', () => {
    const all = outlooks(first(HISTORY, 3_060));
    let compared = 0;
    // The bench removes 500 sessions one by one.
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
  ])('has finite figures in %s', (_, closesOf) => {
    for (const { volatility, worstLine, fall } of outlooks({ ...HISTORY, closes: closesOf() })) {
      const { low, middle, high } = volatility;
      expect([low, middle, high, worstLine, fall].every(Number.isFinite)).toBe(true);
      expect(low <= high && fall >= 0 && fall <= 1).toBe(true);
    }
  });
});
