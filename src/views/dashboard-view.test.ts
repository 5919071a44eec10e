import { describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import type { DashboardView } from './model.ts';
import { timelineView } from './timeline-view.ts';

const NOW = Date.parse('2026-11-14T15:00:00Z');
const view = dashboardView(FULL, NOW);

describe('the panels', () => {
  it('show indices in order, with signs [R8]', () => {
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

  it('show three sentiment cards, with the specified default if there are no data [S3.6] [S3.11] [S4.7]', () => {
    expect(view.sentiment?.cards).toEqual([
      {
        timeframe: 'short',
        title: 'Short Term',
        span: '1-5 Days',
        score: { value: 61, text: '61.0' },
        level: 'Bullish',
        step: 'bullish',
        description: 'Momentum turned up this week on rising volume.',
        indicators: [
          { key: 'rsi', name: 'RSI', value: '58.4', status: 'neutral' },
          { key: 'macd', name: 'MACD', value: '−1.14', status: 'negative' },
          { key: 'movingAverageTrend', name: 'MA Trend', value: 'Bullish', status: 'positive' },
          { key: 'volumeTrend', name: 'Volume', value: 'Stable', status: 'neutral' },
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
        indicators: [],
      },
      {
        timeframe: 'long',
        title: 'Long Term',
        span: '6-12 Months',
        score: { value: 54, text: '54.0' },
        level: 'Neutral',
        step: 'neutral',
        description: 'A score of 54.0 of 100 means Neutral.',
        indicators: [{ key: 'volumeTrend', name: 'Volume', value: 'Decreasing', status: 'negative' }],
      },
    ]);
  });

  it('label Fear & Greed by the shown number, not by the label in the row', () => {
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
    expect(
      view.fearGreed?.components.map(
        ({ direction }) => direction && `${direction.word} ${direction.change.text}`,
      ),
    ).toEqual(['Rising +2.6', 'Unchanged 0.0', 'Falling −2.0', 'Rising +0.1', null, null, 'Rising +2.0']);
    expect(view.fearGreed?.earlier.map(({ name, dateText, text }) => [name, dateText, text])).toEqual([
      ['Previous close', '12 Nov 2026', '59.2'],
      ['1 week ago', '6 Nov 2026', '52.0'],
      ['1 year ago', '13 Nov 2025', '38.0'],
    ]);
    expect(view.fearGreed?.yearAgo?.label).toBe('Fear');
  });

  it('mark a component with a value of an earlier session, which has no change [R22]', () => {
    const optionsWith = (earlier_components: string | null) => {
      const { fearGreed } = FULL;
      const current = fearGreed.current && { ...fearGreed.current, earlier_components };
      const { components = [] } =
        dashboardView({ ...FULL, fearGreed: { ...fearGreed, current } }, NOW).fearGreed ?? {};
      const options = components.find(({ key }) => key === 'put_call_options');
      return [options?.text, options?.older ?? false, options?.direction?.change.text ?? null];
    };
    expect(optionsWith('put_call_options,junk_bond_demand')).toEqual(['45.0', true, null]);
    for (const others of ['junk_bond_demand', null])
      expect(optionsWith(others)).toEqual(['45.0', false, '+0.1']);
  });

  it('leave out the reading of a week ago if it is still the current one', () => {
    const fearGreed = { ...FULL.fearGreed, oneWeekAgo: FULL.fearGreed.current };
    const { earlier = [] } = dashboardView({ ...FULL, fearGreed }, NOW).fearGreed ?? {};
    expect(earlier.map(({ name }) => name)).toEqual(['Previous close', '1 year ago']);
  });

  it('show the metric cards [S3.10]', () => {
    expect(
      view.metrics?.cards.map(({ title, text, suffix, color, label }) => [title, text, suffix, color, label]),
    ).toEqual([
      ['Market Exposure', '54.0', '%', 'yellow', 'Moderate'],
      ['Overall Strength', '58.1', '%', 'green', 'High'],
    ]);
  });

  it('show indicators, sectors and breadth [S2.28] [S2.30] [S3.5]', () => {
    expect(view.advanced?.metricCountText).toBe(`${Object.keys(INDICATORS).length + 11 + 1} metrics`);
    expect(
      view.advanced?.indicators?.items.slice(0, 7).map(({ name, text, label }) => [name, text, label]),
    ).toEqual([
      ['VIX', '17.00', 'Moderate'],
      ['VIX Change', '−0.62', 'Falling'],
      ['Put/Call Ratio', '0.86', 'Bullish'],
      ['TRIN', '1.20', 'Strong Selling'],
      ['McClellan Oscillator', '−18.0', 'Negative'],
      ['High/Low Index', '57.5%', 'Moderate'],
      ['TICK Index', '—', null],
    ]);
    expect(view.advanced?.sectors?.items.map(({ name, text, label }) => [name, text, label])).toEqual([
      ['Information Technology', '82.1', 'Strong'],
      ['Financials', '55.2', 'Neutral'],
      ...[
        'Communication Services',
        'Consumer Discretionary',
        'Consumer Staples',
        'Health Care',
        'Industrials',
        'Materials',
        'Real Estate',
      ].map((name) => [name, '50.0', 'Neutral']),
      ['Utilities', '31.0', 'Weak'],
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

  it('show three insights from the data [S2.16] [R13]', () => {
    expect(view.insights?.items).toEqual([
      {
        key: 'fearGreed',
        dot: 'bullish',
        dotText: 'Bullish',
        text: 'Fear & Greed stands at 62.4 (Greed), up 3.2 points from the previous close.',
      },
      {
        key: 'participation',
        dot: 'neutral',
        dotText: 'Neutral',
        text: '54.0% of the market takes part; the advance/decline ratio is 1.32.',
      },
      {
        key: 'sectors',
        dot: 'neutral',
        dotText: 'Neutral',
        text: 'Sector strength: Information Technology leads at 82.1%, Utilities is last at 31.0%; 1 of 10 measured sectors is strong, 1 weak.',
      },
    ]);
  });

  it('show the timeline with month ticks and lines at the zone edges [S2.22]', () => {
    const timeline = timelineView(FULL.fearGreed.timeline);
    const told = timeline.points.map((_, index) => timeline.describe(index));
    expect(told.map(({ text, label }) => `${text} ${label}`)).toEqual([
      '38.0 Fear',
      '12.5 Extreme Fear',
      '62.4 Greed',
    ]);
    expect(timeline.levels.filter(({ dashed }) => dashed).map(({ text }) => text)).toEqual([
      '25',
      '45',
      '55',
      '75',
    ]);
    expect(timeline.ticks).toHaveLength(12);
    expect(timeline.ticks[0]).toEqual({ at: Date.parse('2025-12-01T05:00:00Z'), text: 'Dec 2025' });
    expect(timeline.ticks.at(-1)).toEqual({ at: Date.parse('2026-11-01T04:00:00Z'), text: 'Nov 2026' });
    expect(timeline.summary).toBe(
      'Fear & Greed index from Thu 13 Nov 2025 to Fri 13 Nov 2026: lowest 12.5 (Extreme Fear) on Fri 6 Mar 2026, highest 62.4 (Greed) on Fri 13 Nov 2026, last 62.4 (Greed).',
    );
    expect(timelineView([])).toMatchObject({
      points: [],
      ticks: [],
      emptyText: 'No historical data available. Historical data will appear here once fetched.',
    });
  });
});

describe('age and origin', () => {
  it('the age is that of the newest row', () => {
    expect(view.age?.sessionsBehind).toBe(0);
    expect(view.age?.asOf.text).toBe('Fri 13 Nov 2026, close');
    expect(dashboardView(FULL, Date.parse('2026-11-16T22:00:00Z')).age?.sessionsBehind).toBe(0);
    expect(dashboardView(FULL, Date.parse('2026-11-18T23:00:00Z')).age?.sessionsBehind).toBe(3);
  });

  it('names the session of a panel whose rows are older than the others', () => {
    const created_at = '2026-11-12T21:00:00.000Z';
    const older = 'As of Thu 12 Nov 2026, close';
    const sectors = FULL.sectors.map((row) => ({ ...row, created_at }));
    const mixed = dashboardView(
      { ...FULL, sectors, metrics: FULL.metrics && { ...FULL.metrics, created_at } },
      NOW,
    );
    expect(mixed.advanced?.sectors?.asOf.older).toBe(older);
    expect(mixed.metrics?.asOf.older).toBe(older);
    expect(mixed.advanced?.indicators?.asOf.older).toBeNull();
    expect(mixed.signal.measuredText).toMatch(/, from the sessions of Thu 12 Nov 2026 to Fri 13 Nov 2026\.$/);
    const panels = [view.indices, view.sentiment, view.fearGreed, view.metrics, view.advanced?.breadth];
    expect(panels.map((panel) => panel?.asOf.older)).toEqual([null, null, null, null, null]);
    const hoursBefore = FULL.indices.map((row) => ({ ...row, created_at: '2026-11-13T15:00:00.000Z' }));
    expect(dashboardView({ ...FULL, indices: hoursBefore }, NOW).indices?.asOf.older).toBeNull();
  });

  it('names the time in New York of a reading within a session', () => {
    const created_at = '2026-11-13T19:05:00.000Z';
    const { age } = dashboardView(
      { ...EMPTY, metrics: { market_exposure: 1, overall_strength: 2, source: null, created_at } },
      NOW,
    );
    expect(age?.asOf.text).toBe('Fri 13 Nov 2026, 14:05 New York time');
  });

  it('marks an index as mixed only if its row does', () => {
    const mixedOf = (earlier_components: string | null) => {
      const current = FULL.fearGreed.current && { ...FULL.fearGreed.current, earlier_components };
      return dashboardView({ ...FULL, fearGreed: { ...FULL.fearGreed, current } }, NOW).fearGreed?.mixed;
    };
    expect([mixedOf('junk_bond_demand'), mixedOf(null)]).toEqual([true, false]);
  });

  it('marks only a TICK computed from the members as a proxy', () => {
    const universesOf = (tick_universe: string | null) => {
      const indicators = FULL.indicators && { ...FULL.indicators, tick_index: 412, tick_universe };
      const { advanced } = dashboardView({ ...FULL, indicators }, NOW);
      return advanced?.indicators?.items.slice(0, 7).map(({ universe }) => universe);
    };
    expect(universesOf('S&P 500')).toEqual([null, null, null, 'NYSE', 'NYSE', 'NYSE', 'S&P 500, proxy']);
    expect([universesOf('NYSE')?.at(-1), universesOf(null)?.at(-1)]).toEqual(['NYSE', null]);
  });

  it('marks simulated and replayed data', () => {
    expect(view.demo).toBeNull();
    const from = (source: 'simulated' | 'replay') =>
      dashboardView({ ...FULL, breadth: FULL.breadth && { ...FULL.breadth, source } }, NOW).demo;
    expect(from('simulated')).toMatchObject({ kind: 'simulated', text: 'Demo data: invented numbers' });
    expect(from('replay')?.kind).toBe('replay');
  });
});

describe('incomplete data', () => {
  const shown = (changes: Partial<DashboardRows>) => dashboardView({ ...FULL, ...changes }, NOW);
  const counts = (
    advancing_stocks: number | null,
    unchanged_stocks: number | null,
    declining_stocks: number | null,
  ) =>
    shown({
      breadth: {
        advancing_stocks,
        unchanged_stocks,
        declining_stocks,
        universe: null,
        source: null,
        created_at: CLOSE,
      },
    });
  const breadthOf = ({ advanced, insights }: DashboardView) => [
    advanced?.breadth?.ratio.text,
    advanced?.breadth?.ratio.label,
    ...(advanced?.breadth?.parts.map(({ shareText }) => shareText) ?? []),
    insights?.items[1]?.text.replace('54.0% of the market takes part', '…'),
  ];

  it.each([
    [counts(3, 0, 3), ['1.00', 'Even', '50.0%', '0.0%', '50.0%', '…; the advance/decline ratio is 1.00.']],
    [
      counts(1, 0, 0),
      ['1.00', 'More advancing', '100.0%', '0.0%', '0.0%', '…; 1 stock advanced and none declined.'],
    ],
    [counts(0, 4, 0), ['—', 'None rose or fell', '0.0%', '100.0%', '0.0%', '….']],
    [counts(0, 0, 0), ['—', 'No stocks counted', '0.0%', '0.0%', '0.0%', '….']],
    [counts(3, null, 1), ['3.00', 'More advancing', '—', '—', '—', '…; the advance/decline ratio is 3.00.']],
    [counts(3, 1, null), ['—', null, '—', '—', '—', '….']],
  ])('breadth follows its formula where its counts are known %#', (told, expected) => {
    expect(breadthOf(told)).toEqual(expected);
  });

  it('names the leading side of a ratio that rounds to 1.00 [S9.8]', () => {
    const ratioOf = (advancing: number, declining: number) => {
      const ratio = counts(advancing, 0, declining).advanced?.breadth?.ratio;
      return [ratio?.text, ratio?.label, ratio?.tone];
    };
    expect(ratioOf(1004, 1000)).toEqual(['1.00', 'More advancing', 'neutral']);
    expect(ratioOf(1000, 1004)).toEqual(['1.00', 'More declining', 'neutral']);
    expect(ratioOf(1005, 1000)).toEqual(['1.01', 'More advancing', 'positive']);
    expect(ratioOf(0, 1)).toEqual(['0.00', 'More declining', 'negative']);
    expect(ratioOf(1, 0)).toEqual(['1.00', 'More advancing', 'neutral']);
    expect(ratioOf(0, 0)).toEqual(['—', 'No stocks counted', null]);
  });

  it('names the sectors without a row and counts the others [S2.30]', () => {
    const absentOf = (names: readonly string[]) => {
      const sectors = names.map((sector) => ({ sector, strength: 50, source: null, created_at: CLOSE }));
      const { advanced } = shown({ sectors });
      return [advanced?.sectors?.absentText, advanced?.metricCountText];
    };
    const count = Object.keys(INDICATORS).length;
    expect(absentOf(GICS_SECTORS)).toEqual([null, `${count + 12} metrics`]);
    expect(absentOf(GICS_SECTORS.slice(0, 3))).toEqual([
      '3 of 11 sectors. No data for Energy, Financials, Health Care, Industrials, Information Technology, Materials, Real Estate, Utilities.',
      `${count + 4} metrics`,
    ]);
    expect(absentOf(['Technology', 'Energy'])).toEqual(['2 of 11 sectors.', `${count + 3} metrics`]);
  });

  it('the insight on sectors states that several are equal [R13]', () => {
    const insightOf = (...strengths: number[]) => {
      const sectors = strengths.map((strength, at) => ({
        ...{ sector: GICS_SECTORS[at] ?? '', strength, source: null, created_at: CLOSE },
      }));
      return shown({ sectors }).insights?.items[2]?.text.split(';')[0];
    };
    expect(insightOf(...Array<number>(11).fill(0))).toBe('Sector strength: 11 sectors stand level at 0.0%');
    expect(insightOf(50.04, 50)).toBe(
      'Sector strength: Communication Services and Consumer Discretionary stand level at 50.0%',
    );
    expect(insightOf(70, 70, 50, 30)).toBe(
      'Sector strength: Communication Services and Consumer Discretionary lead at 70.0%, Energy is last at 30.0%',
    );
    expect(insightOf(70, 30, 30, 30)).toBe(
      'Sector strength: Communication Services leads at 70.0%, 3 sectors are last at 30.0%',
    );
    expect(insightOf(70)).toBe('Sector strength: Communication Services stands at 70.0%');
  });

  it('the insights ignore the same old inputs as the signal [R22]', () => {
    const insightsOf = (created_at: string) => {
      const current = FULL.fearGreed.current && { ...FULL.fearGreed.current, created_at };
      const { insights } = shown({
        fearGreed: { ...FULL.fearGreed, current },
        metrics: FULL.metrics && { ...FULL.metrics, created_at },
        sectors: FULL.sectors.map((row) => ({ ...row, created_at })),
      });
      return insights?.items.map(({ text, dot }) => [text, dot]);
    };
    expect(insightsOf('2026-11-12T21:00:00.000Z')).toEqual([
      [
        'Fear & Greed stands at 62.4 (Greed), up 3.2 points from the previous close. As of Thu 12 Nov 2026.',
        'bullish',
      ],
      [
        '54.0% of the market takes part; the advance/decline ratio is 1.32. As of Thu 12 Nov 2026.',
        'neutral',
      ],
      [
        'Sector strength: Information Technology leads at 82.1%, Utilities is last at 31.0%; 1 of 10 measured sectors is strong, 1 weak. As of Thu 12 Nov 2026.',
        'neutral',
      ],
    ]);
    expect(insightsOf('2024-11-13T21:00:00.000Z')).toEqual([
      ['Fear & Greed has not been measured since Wed 13 Nov 2024.', null],
      ['The advance/decline ratio is 1.32.', 'bullish'],
      ['Sector strength has not been measured since Wed 13 Nov 2024.', null],
    ]);
  });

  it('a timeframe without a score keeps its indicators', () => {
    const [short] = FULL.sentiment;
    const told = shown({ sentiment: short ? [{ ...short, score: null }] : [] }).sentiment?.cards[0];
    expect(told).toMatchObject({
      score: { text: '50.0' },
      description: 'No score available',
    });
    expect(told?.indicators).toHaveLength(4);
  });
});

it("the strength card has the product's name [S1.5]", () => {
  const score = (name?: string) => dashboardView(FULL, NOW, name).metrics?.cards[1]?.description;
  expect([score(), score('Weather Glass')]).toEqual(['Barometer score', 'Weather Glass score']);
});

describe('missing data', () => {
  it.each([
    ['indices', ['indices']],
    ['metrics', ['metrics']],
    ['fearGreed', ['fearGreed']],
    ['sectors', []],
    ['indicators', []],
    ['sentiment', ['sentiment']],
    ['breadth', []],
  ] as const)('omits only the section of an empty table: %s', (table, omitted) => {
    const view = dashboardView({ ...FULL, [table]: EMPTY[table] }, NOW);
    const sections = ['indices', 'sentiment', 'fearGreed', 'metrics', 'advanced', 'insights'] as const;
    expect(sections.filter((name) => view[name] === null)).toEqual(omitted);
  });

  it('omits the sections of empty tables', () => {
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
});
