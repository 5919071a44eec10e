import { describe, expect, test } from 'vitest';
import { barsOf, noise, wanderingMarket } from '#tests/support/bars.ts';
import type { BarMatrix, MarketHistory, SeriesName } from '../market-history.ts';
import { computeMarketReadings, type Snapshot, snapshotAt } from './market-readings.ts';

const NYSE_SERIES: readonly SeriesName[] = [
  'nyse_advances',
  'nyse_declines',
  'nyse_unchanged',
  'nyse_new_highs',
  'nyse_new_lows',
];
const market = wanderingMarket(760);
const newest = market.sessions.at(-1) ?? '';

function seen(history: MarketHistory, session: string): Snapshot {
  const snapshot = snapshotAt(computeMarketReadings(history), session);
  if (snapshot === null) throw new Error(`There is no session ${session}.`);
  return snapshot;
}

/** The market with other values of its series where `change` returns one. */
const withSeries = (change: (name: SeriesName, at: number) => number | undefined): MarketHistory => ({
  ...market,
  series: Object.fromEntries(
    (Object.entries(market.series) as [SeriesName, Float64Array][]).map(([name, values]) => [
      name,
      values.map((value, at) => change(name, at) ?? value),
    ]),
  ),
});

/** The market without the values of some series after the session at `last`. */
const cutAfter = (names: readonly SeriesName[], last: number) =>
  withSeries((name, at) => (names.includes(name) && at > last ? Number.NaN : undefined));

/** The bars of the sessions from one place to another. */
function sliceBars(bars: BarMatrix, from: number, to: number): BarMatrix {
  const width = bars.sessions.length;
  const cut = (values: Float64Array): Float64Array =>
    Float64Array.from(
      bars.members.flatMap((_, at) => [...values.subarray(at * width + from, at * width + to)]),
    );
  const { sessions, members, open, high, low, close, volume } = bars;
  return {
    ...{ sessions: sessions.slice(from, to), members, open: cut(open), high: cut(high), low: cut(low) },
    ...{ close: cut(close), volume: cut(volume) },
  };
}

/** The history as known at the end of its first `count` sessions. */
const upTo = (history: MarketHistory, count: number): MarketHistory => ({
  ...history,
  sessions: history.sessions.slice(0, count),
  series: Object.fromEntries(
    Object.entries(history.series).map(([name, values]) => [name, values.slice(0, count)]),
  ),
  bars: sliceBars(history.bars, 0, history.bars.sessions.length - (history.sessions.length - count)),
});

describe('a snapshot', () => {
  test('has every number except TICK for a full history', () => {
    const snapshot = seen(market, newest);
    const { tick_index, tick_universe, ...others } = snapshot.indicators;
    expect([tick_index, tick_universe]).toEqual([null, null]);
    expect(Object.values(others)).not.toContain(null);
    expect(Object.values(snapshot.fearGreed?.components ?? { none: null })).not.toContain(null);
    expect(snapshot.sectors).toHaveLength(3);
    expect(snapshot.sectors.every(({ strength }) => strength !== null)).toBe(true);
    expect(snapshot.sentiment.map(({ timeframe }) => timeframe)).toEqual(['short', 'medium', 'long']);
    expect(snapshot.sentiment.flatMap((each) => Object.values(each))).not.toContain(null);
    expect(snapshot.marketExposure).not.toBeNull();
    expect(snapshot.overallStrength).not.toBeNull();
    expect(snapshot.indices.map(({ symbol }) => symbol)).toEqual(['SPX', 'IXIC', 'DJI']);
  });

  test('does not depend on later sessions', () => {
    for (const count of [700, 737]) {
      const session = market.sessions[count - 1] ?? '';
      expect(seen(upTo(market, count), session)).toEqual(seen(market, session));
    }
  });

  test('is empty for the first session, never 0 or 50', () => {
    const first = seen(market, market.sessions[0] ?? '');
    expect([first.marketExposure, first.overallStrength, first.fearGreed]).toEqual([null, null, null]);
    expect(first.indicators.vix_change).toBeNull();
    expect(first.indices[0]?.change).toBeNull();
    expect(first.sentiment[0]).toEqual({
      timeframe: 'short',
      score: null,
      rsi: null,
      macd: null,
      movingAverageTrend: null,
      volumeTrend: null,
      description: 'No data available',
    });
  });

  test('has changes from the previous session, in points and percent', () => {
    const close = market.series.sp500_close ?? new Float64Array();
    const [today, before] = [close.at(-1) ?? Number.NaN, close.at(-2) ?? Number.NaN];
    const { indices, indicators } = seen(market, newest);
    expect(indices[0]).toEqual({
      symbol: 'SPX',
      name: 'S&P 500',
      price: today,
      change: today - before,
      changePercent: (100 * (today - before)) / before,
    });
    const vix = market.series.vix_close ?? new Float64Array();
    expect(indicators.vix_change).toBe((vix.at(-1) ?? Number.NaN) - (vix.at(-2) ?? Number.NaN));
    expect(indicators.put_call_ratio).toBe(market.series.put_call_total?.at(-1));
  });
});

describe('the universe', () => {
  test('is the exchange if it published counts, except for TRIN', () => {
    const { breadth, indicators } = seen(market, newest);
    expect(breadth?.universe).toBe('NYSE');
    expect(breadth?.advancing).toBe(market.series.nyse_advances?.at(-1));
    expect([indicators.high_low_universe, indicators.mcclellan_universe, indicators.trin_universe]).toEqual([
      'NYSE',
      'NYSE',
      'Test 12',
    ]);
  });

  test('is the exchange for its own closing TRIN, but never for TICK', () => {
    const column = (value: number) => market.sessions.map((_, at) => (at === 758 ? Number.NaN : value));
    const published = {
      ...market,
      series: {
        ...market.series,
        nyse_trin: Float64Array.from(column(0.87)),
        tick_proxy: Float64Array.from(column(-412)),
      },
    };
    expect(seen(published, newest).indicators).toMatchObject({
      ...{ trin: 0.87, trin_universe: 'NYSE', tick_index: -412, tick_universe: 'Test 12' },
    });
    expect(seen(published, market.sessions[758] ?? '').indicators).toMatchObject({
      ...{ trin: null, trin_universe: null, tick_index: null, tick_universe: null },
    });
  });

  test('is the members if the exchange has no counts', () => {
    const { breadth, indicators } = seen(wanderingMarket(760, 12, NYSE_SERIES), newest);
    expect(breadth?.universe).toBe('Test 12');
    expect((breadth?.advancing ?? 0) + (breadth?.declining ?? 0) + (breadth?.unchanged ?? 0)).toBe(12);
    expect(indicators.mcclellan_universe).toBe('Test 12');
    expect(indicators.advance_decline_ratio).toBe(
      (breadth?.advancing ?? Number.NaN) / Math.max(breadth?.declining ?? Number.NaN, 1),
    );
  });

  const setOf = ({ breadth, indicators }: Snapshot) => [
    breadth?.universe ?? null,
    indicators.high_low_universe,
    indicators.mcclellan_universe,
  ];

  test('stays the exchange on 21 August 2015, whose highs and lows are missing [R25]', () => {
    // The exchange's counts of 20 to 25 August 2015, in the order of NYSE_SERIES.
    const counts = [
      [460, 2638, 87, 8, 247],
      [448, 2687, 78, Number.NaN, Number.NaN],
      [136, 3079, 21, 4, 819],
      [1390, 1750, 91, 3, 211],
    ];
    const august = withSeries((name, at) => counts[at - 756]?.[NYSE_SERIES.indexOf(name)]);
    const [thursday, friday, monday] = market.sessions.slice(-4).map((session) => seen(august, session));
    expect([thursday, monday].map((day) => day && setOf(day))).toEqual([
      ['NYSE', 'NYSE', 'NYSE'],
      ['NYSE', 'NYSE', 'NYSE'],
    ]);
    expect(friday && setOf(friday)).toEqual(['NYSE', null, 'NYSE']);
    expect(friday?.indicators.high_low_index).toBeNull();
  });

  test.each(NYSE_SERIES)('is never two sets if only %s is missing', (missing) => {
    expect(setOf(seen(cutAfter([missing], 758), newest))).not.toContain('Test 12');
  });

  test('is the members until the exchange has all three readings', () => {
    const begun = withSeries((name, at) =>
      at < 700 && NYSE_SERIES.some((each) => each === name) ? Number.NaN : undefined,
    );
    const setsAt = (at: number) => setOf(seen(begun, market.sessions[at] ?? ''));
    expect([700, 737].flatMap(setsAt)).not.toContain('NYSE');
    expect(setsAt(738)).toEqual(['NYSE', 'NYSE', 'NYSE']);
  });

  test('is the members in an open session', () => {
    const open = cutAfter(NYSE_SERIES, 758);
    const snapshot = snapshotAt(computeMarketReadings(open, { lastSessionOpen: true }), newest);
    expect(snapshot && setOf(snapshot)).toEqual(['Test 12', 'Test 12', 'Test 12']);
  });
});

describe('Fear & Greed', () => {
  test('is marked if a component uses a value of an earlier session', () => {
    const earlierIn = (history: MarketHistory, session: string) =>
      seen(history, session).fearGreed?.earlierComponents;
    expect(earlierIn(market, newest)).toEqual([]);
    for (const [late, component] of [
      ['treasury_10y_yield', 'safe_haven_demand'],
      ['high_yield_oas', 'junk_bond_demand'],
      ['put_call_total', 'put_call_options'],
      ['nyse_advances', 'stock_price_breadth'],
    ] as const) {
      const later = cutAfter([late], 758);
      expect(earlierIn(later, newest), late).toContain(component);
      expect(earlierIn(later, market.sessions[758] ?? ''), late).toEqual([]);
    }
    // A missing series does not count as a value of an earlier session.
    const without = seen(cutAfter(['high_yield_oas', 'investment_grade_oas'], 700), newest).fearGreed;
    expect(without).toMatchObject({ earlierComponents: [], components: { junk_bond_demand: null } });
  });

  test('misses a component rather than counting it over the members', () => {
    const components = (of: MarketHistory) => seen(of, newest).fearGreed?.components;
    const gap = components(cutAfter(NYSE_SERIES, 744));
    expect(gap).toMatchObject({ stock_price_strength: null, stock_price_breadth: null });
    const never = components(wanderingMarket(760, 12, NYSE_SERIES));
    expect([never?.stock_price_strength, never?.stock_price_breadth]).not.toContain(null);
  });

  test('uses the return of a Treasury fund if available, otherwise the yield', () => {
    const next = noise(11);
    const fund = Float64Array.from(market.sessions, (_, at) => (at === 758 ? Number.NaN : 95 + 2 * next()));
    const withFund = { ...market, series: { ...market.series, treasury_fund_close: fund } };
    const haven = (of: MarketHistory, at: number) =>
      seen(of, market.sessions[at] ?? '').fearGreed?.components.safe_haven_demand;
    expect(haven(withFund, 759)).not.toBe(haven(market, 759));
    expect(haven(withFund, 758)).toBe(haven(market, 758));
    const { treasury_10y_yield: _, ...without } = withFund.series;
    expect(haven({ ...withFund, series: without }, 759)).toBe(haven(withFund, 759));
    expect(haven({ ...withFund, series: without }, 758)).toBeNull();
  });
});

describe('readings of a history with few inputs', () => {
  test('has Fear & Greed but no breadth if it has no members', () => {
    const readings = computeMarketReadings({ ...market, bars: barsOf({}) });
    const snapshot = snapshotAt(readings, newest);
    expect(snapshot?.fearGreed?.value).not.toBeUndefined();
    expect(snapshot?.sectors).toEqual([]);
    expect([snapshot?.marketExposure, snapshot?.indicators.trin]).toEqual([null, null]);
    expect(snapshot?.breadth?.universe).toBe('NYSE');
  });

  test('has exposure and breadth but no Fear & Greed if it has no series', () => {
    const snapshot = seen({ ...market, series: {} }, newest);
    expect(snapshot.marketExposure).not.toBeNull();
    expect(snapshot.breadth?.universe).toBe('Test 12');
    expect([snapshot.indices, snapshot.fearGreed]).toEqual([[], null]);
    expect(snapshot.indicators.put_call_ratio).toBeNull();
  });

  test('never shows the equity ratio in place of the total', () => {
    const snapshot = seen(wanderingMarket(760, 12, ['put_call_total']), newest);
    expect(snapshot.indicators.put_call_ratio).toBeNull();
    expect(snapshot.fearGreed?.components.put_call_options).not.toBeNull();
  });

  test('places bars that start later than the series at the end of the axis', () => {
    const shorter = { ...market, bars: sliceBars(market.bars, 300, market.bars.sessions.length) };
    const [whole, part] = [seen(market, newest), seen(shorter, newest)];
    for (const name of ['marketExposure', 'sectors', 'indicators', 'fearGreed'] as const)
      expect(part[name]).toEqual(whole[name]);
  });
});

test('names symbol, session and size of a flagged move', () => {
  const close = market.bars.close.slice();
  for (let session = 500; session < 760; session++) close[session] = (close[session] ?? Number.NaN) / 2;
  const { flaggedMoves } = computeMarketReadings({ ...market, bars: { ...market.bars, close } });
  expect(flaggedMoves).toHaveLength(1);
  expect(flaggedMoves[0]).toMatchObject({ symbol: 'M0', session: market.sessions[500] });
  expect(flaggedMoves[0]?.move).toBeCloseTo(-0.5, 1);
});

test('refuses bars that do not end with the axis', () => {
  const { bars } = market;
  const shifted = { ...bars, sessions: ['2019-12-31', ...bars.sessions.slice(0, -1)] };
  expect(() => computeMarketReadings({ ...market, bars: shifted })).toThrow(RangeError);
});

test('has volume trends of the members where the volume of the index has ended', () => {
  const { sp500_volume: _, ...others } = market.series;
  const trends = (history: MarketHistory, at: number) =>
    seen(history, market.sessions[at] ?? '').sentiment.map(({ volumeTrend }) => volumeTrend);
  const moved = cutAfter(['sp500_volume'], 559);
  expect(trends(moved, 759)).not.toContain(null);
  expect(trends(moved, 759)).toEqual(trends({ ...market, series: others }, 759));
  expect(trends(moved, 559)).toEqual(trends(market, 559));
});

test('excludes the unfinished volume of an open session', () => {
  const volume = new Float64Array(market.sessions.length).fill(1000);
  volume[volume.length - 1] = 50;
  const trading = { ...market, series: { ...market.series, sp500_volume: volume } };
  const trend = (lastSessionOpen: boolean) =>
    snapshotAt(computeMarketReadings(trading, { lastSessionOpen }), newest)?.sentiment[0]?.volumeTrend;
  expect(trend(false)).toBe('decreasing');
  expect(trend(true)).toBe('neutral');
});
