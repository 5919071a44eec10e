import { describe, expect, it } from 'vitest';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { noise } from '#tests/support/bars.ts';
import { CLOSE, EMPTY, FULL, fullWith, marketOf } from '#tests/support/dashboard-rows.ts';
import { signalView } from './signal-view.ts';
import { weeklySignalView } from './weekly-signal-view.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const THEN = '2026-11-06T21:00:00.000Z';

function reading(index_value: number, created_at: string) {
  const { current } = fullWith({ current: { index_value, created_at } }).fearGreed;
  if (current === null) throw new Error('The fixture has no index.');
  return current;
}

/** The change between two markets, each with a value of Fear & Greed. */
function since(now: readonly [number, MarketRows], then: readonly [number, MarketRows]) {
  const rows: DashboardRows = {
    ...EMPTY,
    ...now[1],
    fearGreed: { ...EMPTY.fearGreed, current: reading(now[0], CLOSE) },
    weekAgo: { ...then[1], fearGreed: reading(then[0], THEN) },
  };
  return weeklySignalView(rows, NOW)?.sinceLastWeek ?? null;
}
/** The change between two markets in which all inputs but Fear & Greed have one score. */
const sinceScores = (
  now: readonly [number, number],
  then: readonly [number, number],
  changes: { now?: Partial<MarketRows>; before?: Partial<MarketRows> } = {},
) =>
  since([now[0], marketOf(now[1], CLOSE, changes.now)], [then[0], marketOf(then[1], THEN, changes.before)]);

describe('the change since last week', () => {
  it('is the difference of the shown scores', () => {
    const signal = signalView(FULL, NOW);
    const told = signal.sinceLastWeek;
    expect(told).toMatchObject({
      ...{ title: 'Since last week', session: '2026-11-06', dateText: 'Fri 6 Nov 2026' },
      ...{ verdict: 'HOLD', tone: 'positive' },
    });
    const fearGreed = { ...FULL.fearGreed, current: reading(52, THEN) };
    const then = signalView({ ...FULL, ...FULL.weekAgo, fearGreed }, NOW);
    expect(told?.change.value).toBeCloseTo((signal.score.value ?? 0) - (then.score.value ?? 0), 9);
    const parts = [...(told?.text ?? '').matchAll(/([+−]\d+\.\d)/g)].map(([part]) => part.replace('−', '-'));
    expect(parts).toHaveLength(3);
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBeCloseTo(
      told?.change.value ?? Number.NaN,
      9,
    );
    expect(told?.text).toMatch(/^[A-Z].*, others [+−]\d\.\d$/);
  });

  const metrics = { market_exposure: 60, overall_strength: 48, source: null, created_at: CLOSE };
  it.each([
    [
      'names the earlier verdict if it differs',
      sinceScores([65, 61], [60, 61]),
      '+1.0',
      'From HOLD to BUY: Fear & Greed +1.0',
    ],
    [
      'names the largest parts',
      sinceScores([60, 40], [60, 45]),
      '−4.0',
      expect.stringMatching(/^Overall strength −1\.0, /),
    ],
    [
      'names all parts if there are three',
      sinceScores([50, 50], [49, 50], { now: { metrics } }),
      '+0.8',
      'Exposure +1.0, overall strength −0.4, Fear & Greed +0.2',
    ],
    ['says that no part has moved', sinceScores([50, 50], [50, 50]), '0.0', 'No part has moved'],
    [
      'does not compare the parts of different inputs',
      sinceScores([55, 50], [50, 50], { before: { breadth: null } }),
      '+1.0',
      '6 of 7 inputs were measured then, 7 now, so the parts cannot be compared',
    ],
  ])('%s', (_, told, change, text) => {
    expect(told).toMatchObject({ change: { text: change }, text });
    expect(told?.tone).toBe(change === '0.0' ? 'neutral' : change.startsWith('+') ? 'positive' : 'negative');
    expect(told?.parts === null).toBe(String(text).includes('cannot be compared'));
  });

  it('has a part for every input, in order, with the exact sum', () => {
    const next = noise(7);
    const random = () => 100 * next();
    for (let round = 0; round < 300; round += 1) {
      const told = sinceScores([random(), random()], [random(), random()]);
      const tenths = (told?.parts ?? []).map(({ change }) => Math.round(10 * (change.value ?? Number.NaN)));
      expect(tenths.reduce((sum, one) => sum + one, 0)).toBe(Math.round(10 * (told?.change.value ?? 0)));
      expect(told?.parts?.map(({ input }) => input)).toEqual(SIGNAL_INPUTS);
    }
  });

  it('has no part for an input that was measured neither time', () => {
    const without = { breadth: null };
    const told = sinceScores([55, 50], [50, 50], { now: without, before: without });
    expect(told?.parts?.at(-1)).toMatchObject({ name: 'Market Breadth', change: { value: null, text: '—' } });
    expect(told?.parts?.[0]).toMatchObject({ name: 'Fear & Greed', change: told?.change });
    expect(told?.text).toBe(`Fear & Greed ${told?.change.text}`);
  });

  it('is null if a verdict is missing or the newest rows are those of last week', () => {
    const sparse = { metrics: null, indicators: null };
    expect(since([50, marketOf(50, CLOSE)], [50, EMPTY.weekAgo])).toBeNull();
    expect(sinceScores([50, 50], [50, 50], { before: sparse })).toBeNull();
    expect(sinceScores([50, 50], [50, 50], { now: sparse })).toBeNull();
    const [unmoved, then] = [marketOf(50, THEN), reading(50, THEN)];
    const fearGreed = { ...EMPTY.fearGreed, current: then, oneWeekAgo: then };
    const rows = { ...EMPTY, ...unmoved, fearGreed, weekAgo: { ...unmoved, fearGreed: then } };
    expect(signalView(rows, NOW).sinceLastWeek).toBeNull();
  });
});
