import { describe, expect, it } from 'vitest';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL, marketOf } from '#tests/support/dashboard-rows.ts';
import { signalView } from './signal-view.ts';
import { weeklySignalView } from './weekly-signal-view.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const THEN = '2026-11-06T21:00:00.000Z';

const reading = (index_value: number, created_at: string) => ({
  ...EMPTY.fearGreed.current,
  index_value,
  index_label: null,
  market_momentum: null,
  stock_price_strength: null,
  stock_price_breadth: null,
  put_call_options: null,
  junk_bond_demand: null,
  market_volatility: null,
  safe_haven_demand: null,
  earlier_components: null,
  source: 'live' as const,
  created_at,
});

function since(now: [number, MarketRows], then: [number, MarketRows]) {
  const rows: DashboardRows = {
    ...EMPTY,
    ...now[1],
    fearGreed: { ...EMPTY.fearGreed, current: reading(now[0], CLOSE) },
    weekAgo: { ...then[1], fearGreed: reading(then[0], THEN) },
  };
  return weeklySignalView(rows, NOW)?.sinceLastWeek ?? null;
}

describe('the change since last week', () => {
  it('is the difference of the shown scores', () => {
    const signal = signalView(FULL, NOW);
    const told = signal.sinceLastWeek;
    expect(told).toMatchObject({
      title: 'Since last week',
      session: '2026-11-06',
      dateText: 'Fri 6 Nov 2026',
      verdict: 'HOLD',
      tone: 'positive',
    });
    const then = signalView(
      {
        ...FULL,
        ...FULL.weekAgo,
        fearGreed: { ...FULL.fearGreed, current: reading(52, THEN) },
      },
      NOW,
    );
    expect(told?.change.value).toBeCloseTo((signal.score.value ?? 0) - (then.score.value ?? 0), 9);
    const parts = [...(told?.text ?? '').matchAll(/([+−])(\d+\.\d)/g)];
    const sum = parts.reduce(
      (total, [, sign, points]) => total + Number(points) * (sign === '+' ? 1 : -1),
      0,
    );
    expect(parts.length).toBe(3);
    expect(sum).toBeCloseTo(told?.change.value ?? Number.NaN, 9);
    expect(told?.text).toMatch(
      /^Fear & Greed \+\d\.\d, sectors \+\d\.\d, others \+\d\.\d$|^[A-Z].*, others [+−]\d\.\d$/,
    );
  });

  it('names the earlier verdict if it differs', () => {
    expect(since([65, marketOf(61, CLOSE)], [60, marketOf(61, THEN)])).toMatchObject({
      change: { value: 1, text: '+1.0' },
      verdict: 'HOLD',
      text: 'From HOLD to BUY: Fear & Greed +1.0',
    });
    expect(since([60, marketOf(40, CLOSE)], [60, marketOf(45, THEN)])).toMatchObject({
      change: { text: '−4.0' },
      tone: 'negative',
      text: expect.stringMatching(/^Overall strength −1\.0, /),
    });
  });

  it('names all parts of the change if there are three', () => {
    const metrics = { market_exposure: 60, overall_strength: 48, source: null, created_at: CLOSE };
    expect(since([50, marketOf(50, CLOSE, { metrics })], [49, marketOf(50, THEN)])?.text).toBe(
      'Exposure +1.0, overall strength −0.4, Fear & Greed +0.2',
    );
    expect(since([50, marketOf(50, CLOSE)], [50, marketOf(50, THEN)])).toMatchObject({
      change: { value: 0, text: '0.0' },
      tone: 'neutral',
      text: 'No part has moved',
    });
  });

  it('does not compare the parts of different inputs', () => {
    const then = marketOf(50, THEN, { breadth: null });
    expect(since([55, marketOf(50, CLOSE)], [50, then])).toMatchObject({
      change: { value: 1 },
      text: '6 of 7 inputs were measured then, 7 now, so the parts cannot be compared',
      parts: null,
    });
  });

  it('has a part for every input, in order, with the exact sum', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return (100 * seed) / 2_147_483_647;
    };
    for (let round = 0; round < 300; round += 1) {
      const told = since([random(), marketOf(random(), CLOSE)], [random(), marketOf(random(), THEN)]);
      const tenths = (told?.parts ?? []).map(({ change }) => Math.round(10 * (change.value ?? Number.NaN)));
      expect(tenths.reduce((sum, one) => sum + one, 0)).toBe(Math.round(10 * (told?.change.value ?? 0)));
      expect(told?.parts?.map(({ input }) => input)).toEqual(SIGNAL_INPUTS);
    }
  });

  it('has no part for an input that was measured neither time', () => {
    const without = { breadth: null };
    const told = since([55, marketOf(50, CLOSE, without)], [50, marketOf(50, THEN, without)]);
    expect(told?.parts?.at(-1)).toMatchObject({ name: 'Market Breadth', change: { value: null, text: '—' } });
    expect(told?.parts?.[0]).toMatchObject({ name: 'Fear & Greed', change: told?.change });
    expect(told?.text).toBe(`Fear & Greed ${told?.change.text}`);
  });

  it('is null if a verdict is missing or the newest rows are those of last week', () => {
    const market = marketOf(50, CLOSE);
    const sparse = { metrics: null, indicators: null };
    expect(since([50, market], [50, EMPTY.weekAgo])).toBeNull();
    expect(since([50, market], [50, marketOf(50, THEN, sparse)])).toBeNull();
    expect(since([50, marketOf(50, CLOSE, sparse)], [50, marketOf(50, THEN)])).toBeNull();
    const unmoved = marketOf(50, THEN);
    const rows = { ...EMPTY, ...unmoved, weekAgo: { ...unmoved, fearGreed: reading(50, THEN) } };
    const fearGreed = { ...EMPTY.fearGreed, current: reading(50, THEN), oneWeekAgo: reading(50, THEN) };
    expect(signalView({ ...rows, fearGreed }, NOW).sinceLastWeek).toBeNull();
  });
});
