import { describe, expect, it } from 'vitest';
import { parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { parseFearGreed } from '#schema/fear-greed-index.ts';
import { parseMarketBreadth } from '#schema/market-breadth.ts';
import { parseMarketIndex } from '#schema/market-indices.ts';
import { parseMarketMetrics } from '#schema/market-metrics.ts';
import { parseMarketSentiment } from '#schema/market-sentiment.ts';
import { parseSectorStrength } from '#schema/sector-strength.ts';
import { dashboardView } from './dashboard.ts';
import { timelineView } from './timeline.ts';

const CLOSE = '2026-11-13T21:00:00.000Z';
const NOW = Date.parse('2026-11-14T15:00:00Z');
const stamp = { source: 'live', created_at: CLOSE } as const;

const point = (index_value: number, created_at: string) => ({ index_value, index_label: null, created_at });

const FULL: DashboardRows = {
  indices: [
    { symbol: 'DJI', name: 'Dow Jones', price: 47147.48, change: -309.1, change_percent: -0.6513, ...stamp },
    { symbol: 'SPX', name: 'S&P 500', price: 6734.11, change: 41.42, change_percent: 0.6188, ...stamp },
    { symbol: 'IXIC', name: 'Nasdaq Composite', price: 22900.59, change: 0, change_percent: 0, ...stamp },
  ],
  metrics: { market_exposure: 54, overall_strength: 58.14, ...stamp },
  fearGreed: {
    current: {
      index_value: 62.37,
      index_label: 'Extreme Fear',
      market_momentum: 71,
      stock_price_strength: 58,
      stock_price_breadth: 64,
      put_call_options: 44.95,
      junk_bond_demand: 55,
      market_volatility: null,
      safe_haven_demand: 87,
      ...stamp,
    },
    previousClose: point(59.2, '2026-11-12T21:00:00.000Z'),
    oneWeekAgo: point(52, '2026-11-06T21:00:00.000Z'),
    oneMonthAgo: null,
    oneYearAgo: point(38, '2025-11-13T21:00:00.000Z'),
    timeline: [
      point(38, '2025-11-13T21:00:00.000Z'),
      point(12.5, '2026-03-06T21:00:00.000Z'),
      point(62.37, CLOSE),
    ],
  },
  sectors: [
    { sector: 'Utilities', strength: 31, ...stamp },
    { sector: 'Technology', strength: 82.14, ...stamp },
    { sector: 'Energy', strength: null, ...stamp },
    { sector: 'Financials', strength: 55.2, ...stamp },
  ],
  indicators: {
    vix: 17,
    vix_change: -0.62,
    put_call_ratio: 0.86,
    high_low_index: 57.5,
    high_low_universe: 'NYSE',
    advance_decline_ratio: 1.2,
    mcclellan_oscillator: -18,
    mcclellan_universe: 'NYSE',
    tick_index: null,
    tick_universe: 'S&P 500',
    trin: 1.2,
    trin_universe: 'NYSE',
    ...stamp,
  },
  sentiment: [
    {
      timeframe: 'short',
      signal: 'Bullish',
      score: 61,
      description: 'Momentum turned up this week on rising volume.',
      rsi: 58.44,
      macd: -1.135,
      moving_avg_trend: 'bullish',
      volume_trend: 'neutral',
      ...stamp,
    },
    {
      timeframe: 'long',
      signal: null,
      score: 54,
      description: null,
      rsi: null,
      macd: null,
      moving_avg_trend: null,
      volume_trend: 'decreasing',
      ...stamp,
    },
  ],
  breadth: {
    advancing_stocks: 1362,
    declining_stocks: 1032,
    unchanged_stocks: 106,
    universe: 'NYSE',
    ...stamp,
  },
};

const EMPTY: DashboardRows = {
  indices: [],
  metrics: null,
  fearGreed: {
    current: null,
    previousClose: null,
    oneWeekAgo: null,
    oneMonthAgo: null,
    oneYearAgo: null,
    timeline: [],
  },
  sectors: [],
  indicators: null,
  sentiment: [],
  breadth: null,
};

const view = dashboardView(FULL, NOW);

describe('the panels', () => {
  it('indices stand in order, with signs', () => {
    expect(
      view.indices?.items.map(({ name, price, change, changePercent, tone }) => [
        name,
        price.text,
        change.text,
        changePercent.text,
        tone,
      ]),
    ).toEqual([
      ['S&P 500', '6,734.11', '+41.42', '+0.62%', 'positive'],
      ['Nasdaq Composite', '22,900.59', '0.00', '0.00%', 'neutral'],
      ['Dow Jones', '47,147.48', '−309.10', '−0.65%', 'negative'],
    ]);
  });

  it('the three sentiment cards, the specified default where there is no data', () => {
    expect(view.sentiment?.cards).toEqual([
      {
        timeframe: 'short',
        title: 'Short Term',
        span: '1-5 Days',
        score: { value: 61, text: '61.0' },
        level: 'Bullish',
        step: 'bullish',
        description: 'Momentum turned up this week on rising volume.',
        measured: true,
        indicators: [
          { name: 'RSI', value: '58.4', status: 'neutral' },
          { name: 'MACD', value: '−1.14', status: 'negative' },
          { name: 'MA Trend', value: 'Bullish', status: 'positive' },
          { name: 'Volume', value: 'Stable', status: 'neutral' },
        ],
      },
      {
        timeframe: 'medium',
        title: 'Medium Term',
        span: '1-3 Months',
        score: { value: 50, text: '50.0' },
        level: 'Neutral',
        step: 'neutral',
        description: 'No data available',
        measured: false,
        indicators: [],
      },
      {
        timeframe: 'long',
        title: 'Long Term',
        span: '6-12 Months',
        score: { value: 54, text: '54.0' },
        level: 'Neutral',
        step: 'neutral',
        description: 'A score of 54.0 of 100 reads Neutral.',
        measured: true,
        indicators: [{ name: 'Volume', value: 'Decreasing', status: 'negative' }],
      },
    ]);
  });

  it('Fear & Greed is labelled by the number shown, whatever label the row carries', () => {
    expect(view.fearGreed?.current).toEqual({ value: 62.4, text: '62.4', label: 'Greed', zone: 'greed' });
    expect(view.fearGreed?.components.map(({ text, label }) => `${text} ${label}`)).toEqual([
      '71.0 Greed',
      '58.0 Greed',
      '64.0 Greed',
      '45.0 Neutral',
      '55.0 Greed',
      '— null',
      '87.0 Extreme Greed',
    ]);
    expect(view.fearGreed?.earlier.map(({ name, dateText, text }) => [name, dateText, text])).toEqual([
      ['Previous close', 'Thu 12 Nov 2026', '59.2'],
      ['1 week ago', 'Fri 6 Nov 2026', '52.0'],
      ['1 year ago', 'Thu 13 Nov 2025', '38.0'],
    ]);
    expect(view.fearGreed?.yearAgo?.label).toBe('Fear');
    expect(view.fearGreed?.zones.map(({ from, to }) => [from, to])).toEqual([
      [0, 25],
      [25, 45],
      [45, 55],
      [55, 75],
      [75, 100],
    ]);
  });

  it('the metric cards', () => {
    expect(
      view.metrics?.cards.map(({ title, text, suffix, color, label }) => [title, text, suffix, color, label]),
    ).toEqual([
      ['Market Exposure', '54.0', '%', 'yellow', 'Moderate'],
      ['Overall Strength', '58.1', '%', 'green', 'High'],
    ]);
  });

  it('indicators, sectors and breadth', () => {
    expect(view.advanced?.metricCount).toBe(7 + 4 + 1);
    expect(view.advanced?.indicators?.items.map(({ name, text, label }) => [name, text, label])).toEqual([
      ['VIX', '17.00', 'Moderate'],
      ['VIX Change', '−0.62', 'Falling'],
      ['Put/Call Ratio', '0.86', 'Bullish'],
      ['TRIN', '1.20', 'Strong Selling'],
      ['McClellan Oscillator', '−18.0', 'Negative'],
      ['High/Low Index', '57.5%', 'Moderate'],
      ['TICK Index', '—', null],
    ]);
    expect(
      view.advanced?.sectors?.items.map(({ name, countText, label }) => [name, countText, label]),
    ).toEqual([
      ['Technology', '82.1 / 100', 'Strong'],
      ['Financials', '55.2 / 100', 'Neutral'],
      ['Utilities', '31.0 / 100', 'Weak'],
      ['Energy', '—', null],
    ]);
    expect(view.advanced?.breadth?.ratio).toEqual({
      value: 1.32,
      text: '1.32',
      tone: 'positive',
      label: 'More advancing',
    });
    expect(view.advanced?.breadth?.parts.map(({ count, shareText }) => [count.text, shareText])).toEqual([
      ['1,362', '54.5%'],
      ['106', '4.2%'],
      ['1,032', '41.3%'],
    ]);
  });

  it('three insights from the data', () => {
    expect(view.insights?.items).toEqual([
      {
        key: 'fearGreed',
        dot: 'bullish',
        dotText: 'Bullish',
        text: 'Fear & Greed stands at 62.4 (Greed), up 3.2 from the previous close.',
      },
      {
        key: 'participation',
        dot: 'neutral',
        dotText: 'Neutral',
        text: '54.0% of the market takes part; 1.32 stocks advanced for each one that declined.',
      },
      {
        key: 'sectors',
        dot: 'neutral',
        dotText: 'Neutral',
        text: 'Technology leads at 82.1%, Utilities is last at 31.0%; 1 of 3 sectors is strong.',
      },
    ]);
  });

  it('the timeline has month ticks, lines at the zone edges and a summary', () => {
    const timeline = timelineView(FULL.fearGreed.timeline);
    expect(timeline.points.map(({ text, label }) => `${text} ${label}`)).toEqual([
      '38.0 Fear',
      '12.5 Extreme Fear',
      '62.4 Greed',
    ]);
    expect(timeline.references).toEqual([25, 45, 55, 75]);
    expect(timeline.ticks).toHaveLength(12);
    expect(timeline.ticks[0]).toEqual({ at: Date.parse('2025-12-01T05:00:00Z'), text: 'Dec 2025' });
    expect(timeline.ticks.at(-1)).toEqual({ at: Date.parse('2026-11-01T04:00:00Z'), text: 'Nov 2026' });
    expect(timeline.summary).toBe(
      'Fear & Greed from Thu 13 Nov 2025 to Fri 13 Nov 2026: lowest 12.5 (Extreme Fear) on Fri 6 Mar 2026, highest 62.4 (Greed) on Fri 13 Nov 2026, last 62.4 (Greed).',
    );
    expect(timelineView([])).toMatchObject({
      points: [],
      ticks: [],
      emptyText: 'No historical data available. Historical data will appear here once fetched.',
    });
  });
});

describe('the signal card', () => {
  it('shows seven rows whose points add up to the score', () => {
    // Sentiment and sectors lack one part each: their means are 57.5 and 56.1.
    const { signal } = view;
    expect(signal.verdict).toBe('HOLD');
    expect(signal.inputsText).toBe('7 of 7 inputs');
    expect(signal.sessionsText).toBe('all from the session of Fri 13 Nov 2026');
    expect(signal.rows.map(({ name, weightText }) => `${name} ${weightText}`)).toEqual([
      'Fear & Greed 20%',
      'Overall Strength 20%',
      'Market Exposure 10%',
      'Market Sentiment 15%',
      'Advanced Indicators 15%',
      'Sector Strength 10%',
      'Market Breadth 10%',
    ]);
    const points = signal.rows.reduce((sum, row) => sum + (row.points.value ?? 0), 0);
    expect(points).toBeCloseTo(signal.score.value ?? -1, 9);
    expect(signal.rows[3]?.note).toBe('without medium term');
    expect(signal.rows[5]?.note).toBe('without Energy');
    expect(signal.range?.low).toBeLessThan(signal.score.value ?? 0);
    expect(signal.zones).toEqual([
      { verdict: 'SELL', from: 0, to: 41 },
      { verdict: 'HOLD', from: 41, to: 61 },
      { verdict: 'BUY', from: 61, to: 100 },
    ]);
    expect(signal.next?.title).toBe('To BUY');
    expect(signal.next?.text).toMatch(/^\d\.\d points\. Nearest: Fear & Greed from 62\.4 to \d\d\.\d\.$/);
    expect(signal.headline).toBe(
      'Lifted by greed among investors and a strong market; nothing holds the score back.',
    );
  });

  it('tells what is missing, and gives no verdict below 70 % of the weight', () => {
    const without = dashboardView({ ...FULL, metrics: null }, NOW).signal;
    expect(without).toMatchObject({ inputsText: '5 of 7 inputs', verdict: 'Insufficient data', range: null });
    expect(without.score).toEqual({ value: null, text: '—' });
    expect(without.next).toBeNull();
    const six = dashboardView({ ...FULL, breadth: null }, NOW).signal;
    expect(six.inputsText).toBe('6 of 7 inputs');
    expect(six.rows[6]).toMatchObject({ weightText: '—', note: 'not measured', points: { text: '—' } });
    expect(six.rows[0]?.weightText).toBe('22.2%');
    expect(six.range?.text).toMatch(/^Anywhere from \d\d\.\d to \d\d\.\d once everything is measured\.$/);
  });

  it('a default sentiment card does not enter the signal', () => {
    const noSentiment = dashboardView({ ...FULL, sentiment: [] }, NOW).signal;
    expect(noSentiment.rows[3]).toMatchObject({ score: { value: null }, note: 'not measured' });
  });
});

describe('age and origin', () => {
  it('fresh until the next close has been published', () => {
    expect(view.age).toMatchObject({ sessionsBehind: 0, stale: false, staleText: null });
    expect(view.age?.asOf.text).toBe('Fri 13 Nov 2026, close');
    expect(dashboardView(FULL, Date.parse('2026-11-16T22:00:00Z')).age?.stale).toBe(false);
    expect(dashboardView(FULL, Date.parse('2026-11-16T23:00:00Z')).age?.staleText).toBe('1 session behind');
    expect(dashboardView(FULL, Date.parse('2026-11-18T23:00:00Z')).age?.staleText).toBe('3 sessions behind');
  });

  it('a reading within a session says its time in New York', () => {
    const created_at = '2026-11-13T19:05:00.000Z';
    const { age } = dashboardView(
      { ...EMPTY, metrics: { market_exposure: 1, overall_strength: 2, source: null, created_at } },
      NOW,
    );
    expect(age?.asOf.text).toBe('Fri 13 Nov 2026, 14:05 New York time');
  });

  it('simulated and replayed data are marked', () => {
    expect(view.demo).toBeNull();
    const from = (source: 'simulated' | 'replay') =>
      dashboardView({ ...FULL, breadth: FULL.breadth && { ...FULL.breadth, source } }, NOW).demo;
    expect(from('simulated')).toMatchObject({ kind: 'simulated', text: 'Demo data' });
    expect(from('replay')?.kind).toBe('replay');
  });
});

describe('what is not there', () => {
  it('empty tables leave their sections out', () => {
    const empty = dashboardView(EMPTY, NOW);
    expect(empty).toMatchObject({
      age: null,
      demo: null,
      indices: null,
      sentiment: null,
      fearGreed: null,
      metrics: null,
      advanced: null,
      insights: null,
    });
    expect(empty.signal).toMatchObject({
      verdict: 'Insufficient data',
      inputsText: '0 of 7 inputs',
      asOf: null,
    });
  });

  it('hostile rows never show as NaN, undefined, infinite or as invalid dates', () => {
    const hostile: unknown[] = [
      null,
      undefined,
      '',
      ' ',
      'nan',
      Number.NaN,
      '-infinity',
      Number.POSITIVE_INFINITY,
      -0,
      -1,
      0,
      0.05,
      49.95,
      100,
      100.01,
      1e308,
      -1e308,
      5e-324,
      '1e21',
      '62.4',
      true,
      [],
      {},
      'bullish',
      '<b>x</b>',
      '\u202e',
      'x'.repeat(5000),
      9007199254740991,
    ]; // prettier-ignore
    const instants: unknown[] = [
      CLOSE,
      '2026-11-13T21:00:00+00:00',
      '0000-01-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59-12:00',
      '2026-02-30T00:00:00Z',
      '2026-03-08T07:00:00Z',
      'infinity',
      null,
      5,
    ]; // prettier-ignore
    let seed = 7;
    const pick = (values: readonly unknown[]) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return values[seed % values.length];
    };
    const fields = [...new Set(Object.values(FULL).flatMap((value) => fieldNames(value)))];
    const hostileRow = () => {
      const row: Record<string, unknown> = {};
      for (const field of fields) row[field] = pick(hostile);
      row.created_at = pick(instants);
      row.timeframe = pick(['short', 'medium', 'long', 'x']);
      row.symbol = pick(['A', 'B', null]);
      row.sector = pick(['A', 'B', 'C', 7]);
      return row;
    };
    const some = <Row>(parse: (value: unknown) => Row | null, count: number) =>
      Array.from({ length: count }, () => parse(hostileRow())).filter((row) => row !== null);
    for (let round = 0; round < 1500; round += 1) {
      const one = <Row>(parse: (value: unknown) => Row | null) => some(parse, 1)[0] ?? null;
      const rows: DashboardRows = {
        indices: some(parseMarketIndex, 3),
        metrics: one(parseMarketMetrics),
        fearGreed: {
          current: one(parseFearGreed),
          previousClose: one(parseFearGreed),
          oneWeekAgo: one(parseFearGreed),
          oneMonthAgo: one(parseFearGreed),
          oneYearAgo: one(parseFearGreed),
          timeline: [],
        },
        sectors: some(parseSectorStrength, 11),
        indicators: one(parseAdvancedIndicators),
        sentiment: some(parseMarketSentiment, 3),
        breadth: one(parseMarketBreadth),
      };
      expectShowable(dashboardView(rows, NOW));
      if (round % 30 === 0) expectShowable(timelineView(some(parseFearGreed, 4)));
    }
  });
});

function fieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldNames);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function expectShowable(value: unknown, path = 'view'): void {
  if (value === undefined) throw new Error(`${path} is undefined`);
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    throw new Error(`${path} is ${value}`);
  }
  if (typeof value === 'string' && /NaN|undefined|Infinity|Invalid|null|e\+/.test(value)) {
    throw new Error(`${path} reads ${value}`);
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) expectShowable(inner, `${path}.${key}`);
  }
}
