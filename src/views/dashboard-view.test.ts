import { describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { timelineView } from './timeline-view.ts';

const NOW = Date.parse('2026-11-14T15:00:00Z');
const THURSDAY = '2026-11-12T21:00:00.000Z';
const view = dashboardView(FULL, NOW);
const viewWith = (changes: Parameters<typeof fullWith>[0]) => dashboardView(fullWith(changes), NOW);
const shown = (changes: Partial<DashboardRows>) => dashboardView({ ...FULL, ...changes }, NOW);
const sectorRows = (strengths: Readonly<Record<string, number>>) =>
  Object.entries(strengths).map(([sector, strength]) => ({
    ...{ sector, strength, source: null, created_at: CLOSE },
  }));

describe('the panels', () => {
  it('show indices in order, with signs [R8]', () => {
    const items = view.indices?.items.map(({ name, price, change, changePercent, tone }) =>
      [name, price.text, change.text, changePercent.text, tone].join(' '),
    );
    expect(items).toEqual([
      'S&P 500 6,734.11 +41.42 +0.62% positive',
      'Nasdaq Composite 22,900.59 0.00 0.00% neutral',
      'Dow Jones 47,147.48 −309.10 −0.65% negative',
    ]);
  });

  it('show three sentiment cards, with the specified default if there are no data [S2.10] [S3.6] [S3.11] [S4.7]', () => {
    const cards = view.sentiment?.cards.map(
      ({ title, span, score, level, step, description, indicators }) => [
        [title, span, score.text, level, step].join(', '),
        description,
        ...indicators.map(({ key, name, value, status }) => [key, name, value, status].join(', ')),
      ],
    );
    expect(cards).toEqual([
      [
        'Short Term, 1-5 Days, 61.0, Bullish, bullish',
        'Momentum turned up this week on rising volume.',
        'rsi, RSI, 58.4, neutral',
        'macd, MACD, −1.14, negative',
        'movingAverageTrend, MA Trend, Bullish, positive',
        'volumeTrend, Volume, Stable, neutral',
      ],
      ['Medium Term, 1-3 Months, 50.0, Neutral, neutral', 'No data available'],
      [
        'Long Term, 6-12 Months, 54.0, Neutral, neutral',
        'A score of 54.0 of 100 means Neutral.',
        'volumeTrend, Volume, Decreasing, negative',
      ],
    ]);
  });

  it('label Fear & Greed by the shown number, not by the label in the row [S2.20] [S3.3]', () => {
    const { current, components = [], earlier = [], yearAgo } = view.fearGreed ?? {};
    expect(current).toEqual({ value: 62.4, text: '62.4', label: 'Greed', zone: 'greed' });
    expect(
      components.map(({ text, label, direction }) =>
        [text, label, direction && `${direction.word} ${direction.change.text}`].join(', '),
      ),
    ).toEqual([
      '71.0, Greed, Rising +2.6',
      '58.0, Greed, Unchanged 0.0',
      '64.0, Greed, Falling −2.0',
      '45.0, Neutral, Rising +0.1',
      '55.0, Greed, ',
      '—, , ',
      '87.0, Extreme Greed, Rising +2.0',
    ]);
    expect(earlier.map(({ name, dateText, text }) => `${name}, ${dateText}: ${text}`).join('; ')).toBe(
      'Previous close, 12 Nov 2026: 59.2; 1 week ago, 6 Nov 2026: 52.0; 1 year ago, 13 Nov 2025: 38.0',
    );
    expect(yearAgo?.label).toBe('Fear');
  });

  it.each([
    ['put_call_options,junk_bond_demand', true, true, null],
    ['junk_bond_demand', true, false, '+0.1'],
    [null, false, false, '+0.1'],
  ])('mark older components, which have no change: %s [R22]', (names, mixed, older, change) => {
    const { fearGreed } = viewWith({ current: { earlier_components: names } });
    const options = fearGreed?.components.find(({ key }) => key === 'put_call_options');
    expect(fearGreed?.mixed).toBe(mixed);
    expect([options?.older ?? false, options?.direction?.change.text ?? null]).toEqual([older, change]);
  });

  it('leave out the reading of a week ago if it is still the current one [S2.20]', () => {
    const { earlier } =
      shown({ fearGreed: { ...FULL.fearGreed, oneWeekAgo: FULL.fearGreed.current } }).fearGreed ?? {};
    expect(earlier?.map(({ name }) => name)).toEqual(['Previous close', '1 year ago']);
  });

  it("show the metric cards, with the product's name [S1.5] [S3.10]", () => {
    const cards = dashboardView(FULL, NOW, 'Weather Glass').metrics?.cards.map(
      ({ title, text, suffix, color, label, description }) =>
        [title, text + suffix, color, label, description].join(', '),
    );
    expect(cards).toEqual([
      'Market Exposure, 54.0%, yellow, Moderate, % of market participating',
      'Overall Strength, 58.1%, green, High, Weather Glass score',
    ]);
    expect(view.metrics?.cards[1]?.description).toBe('Barometer score');
  });

  it('show indicators, sectors and breadth [S2.28] [S2.30] [S3.5]', () => {
    const { metricCountText, indicators, sectors, breadth } = view.advanced ?? {};
    expect(metricCountText).toBe(`${Object.keys(INDICATORS).length + 11 + 1} metrics`);
    const words = (items: readonly { name: string; text: string; label: string | null }[] = []) =>
      items.map(({ name, text, label }) => [name, text, label].join(', '));
    expect(words(indicators?.items.slice(0, 7))).toEqual([
      'VIX, 17.00, Moderate',
      'VIX Change, −0.62, Falling',
      'Put/Call Ratio, 0.86, Bullish',
      'TRIN, 1.20, Strong Selling',
      'McClellan Oscillator, −18.0, Negative',
      'High/Low Index, 57.5%, Moderate',
      'TICK Index, —, ',
    ]);
    const middle = ['Communication Services', 'Consumer Discretionary', 'Consumer Staples', 'Health Care'];
    expect(words(sectors?.items)).toEqual([
      ...['Information Technology, 82.1, Strong', 'Financials, 55.2, Neutral'],
      ...[...middle, 'Industrials', 'Materials', 'Real Estate'].map((name) => `${name}, 50.0, Neutral`),
      ...['Utilities, 31.0, Weak', 'Energy, —, '],
    ]);
    expect(breadth?.ratio).toEqual({ value: 1.32, text: '1.32', tone: 'positive', label: 'More advancing' });
    expect(breadth?.parts.map(({ count, shareText }) => `${count.text} ${shareText}`)).toEqual([
      ...['1,362 54.5%', '106 4.2%', '1,032 41.3%'],
    ]);
  });

  it('show three insights from the data [S2.16] [R13]', () => {
    const told = view.insights?.items.map(
      ({ key, dot, dotText, text }) => `${key}, ${dot}, ${dotText}: ${text}`,
    );
    expect(told).toEqual([
      'fearGreed, bullish, Bullish: Fear & Greed stands at 62.4 (Greed), up 3.2 points from the previous close.',
      'participation, neutral, Neutral: 54.0% of the market takes part; the advance/decline ratio is 1.32.',
      'sectors, neutral, Neutral: Sector strength: Information Technology leads at 82.1%, Utilities is last at 31.0%; 1 of 10 measured sectors is strong, 1 weak.',
    ]);
  });

  it('show the timeline with month ticks and lines at the zone edges [S2.22]', () => {
    const timeline = timelineView(FULL.fearGreed.timeline);
    const told = timeline.points.map((_, index) => timeline.describe(index));
    expect(told.map(({ text, label }) => `${text} ${label}`)).toEqual([
      ...['38.0 Fear', '12.5 Extreme Fear', '62.4 Greed'],
    ]);
    const dashed = timeline.levels.filter((level) => level.dashed).map(({ text }) => text);
    expect(dashed).toEqual(['25', '45', '55', '75']);
    expect(timeline.ticks).toHaveLength(12);
    expect(timeline.ticks[0]).toEqual({ at: Date.parse('2025-12-01T05:00:00Z'), text: 'Dec 2025' });
    expect(timeline.ticks.at(-1)).toEqual({ at: Date.parse('2026-11-01T04:00:00Z'), text: 'Nov 2026' });
    expect(timeline.summary).toBe(
      'Fear & Greed index from Thu 13 Nov 2025 to Fri 13 Nov 2026: lowest 12.5 (Extreme Fear) on Fri 6 Mar 2026, highest 62.4 (Greed) on Fri 13 Nov 2026, last 62.4 (Greed).',
    );
    const emptyText = 'No historical data available. Historical data will appear here once fetched.';
    expect(timelineView([])).toMatchObject({ points: [], ticks: [], emptyText });
  });
});

describe('age and origin', () => {
  it('are those of the newest row', () => {
    expect(view).toMatchObject({
      age: { asOf: { text: 'Fri 13 Nov 2026, close' }, sessionsBehind: 0 },
      demo: null,
    });
  });

  it('names the session of a panel whose rows are older than the others', () => {
    const older = 'As of Thu 12 Nov 2026, close';
    const sectors = FULL.sectors.map((row) => ({ ...row, created_at: THURSDAY }));
    const mixed = dashboardView({ ...fullWith({ metrics: { created_at: THURSDAY } }), sectors }, NOW);
    expect(mixed.advanced?.sectors?.asOf.older).toBe(older);
    expect(mixed.metrics?.asOf.older).toBe(older);
    expect(mixed.advanced?.indicators?.asOf.older).toBeNull();
    expect(mixed.signal.measuredText).toMatch(/, from the sessions of Thu 12 Nov 2026 to Fri 13 Nov 2026\.$/);
    const panels = [view.indices, view.sentiment, view.fearGreed, view.metrics, view.advanced?.breadth];
    expect(panels.map((panel) => panel?.asOf.older)).toEqual(Array(5).fill(null));
    const hoursBefore = FULL.indices.map((row) => ({ ...row, created_at: '2026-11-13T15:00:00.000Z' }));
    expect(shown({ indices: hoursBefore }).indices?.asOf.older).toBeNull();
  });

  it.each([
    ['S&P 500', 'S&P 500, proxy'],
    ['NYSE', 'NYSE'],
    [null, null],
  ])('marks only a TICK computed from the members as a proxy: %s', (tick_universe, text) => {
    const { advanced } = viewWith({ indicators: { tick_index: 412, tick_universe } });
    const universes = advanced?.indicators?.items.slice(0, 7).map(({ universe }) => universe);
    expect(universes).toEqual([null, null, null, 'NYSE', 'NYSE', 'NYSE', text]);
  });

  it('marks simulated and replayed data', () => {
    const demoFrom = (source: 'simulated' | 'replay') => viewWith({ breadth: { source } }).demo;
    expect(demoFrom('simulated')).toMatchObject({ kind: 'simulated', text: 'Demo data: invented numbers' });
    expect(demoFrom('replay')?.kind).toBe('replay');
  });
});

describe('incomplete data', () => {
  it.each([
    [[3, 0, 3], '1.00 Even 50.0% 0.0% 50.0% …; the advance/decline ratio is 1.00.'],
    [[1, 0, 0], '1.00 More advancing 100.0% 0.0% 0.0% …; 1 stock advanced and none declined.'],
    [[0, 4, 0], '— None rose or fell 0.0% 100.0% 0.0% ….'],
    [[0, 0, 0], '— No stocks counted 0.0% 0.0% 0.0% ….'],
    [[3, null, 1], '3.00 More advancing — — — …; the advance/decline ratio is 3.00.'],
    [[3, 1, null], '—  — — — ….'],
  ] as const)(
    'breadth follows its formula where its counts are known: %j [S2.28] [S9.9] [S9.10]',
    (counts, text) => {
      const [advancing_stocks, unchanged_stocks, declining_stocks] = counts;
      const { advanced, insights } = viewWith({
        breadth: { advancing_stocks, unchanged_stocks, declining_stocks },
      });
      const { ratio, parts = [] } = advanced?.breadth ?? {};
      const insight = insights?.items[1]?.text.replace('54.0% of the market takes part', '…');
      const told = [ratio?.text, ratio?.label, ...parts.map(({ shareText }) => shareText), insight];
      expect(told.join(' ')).toBe(text);
    },
  );

  it.each([
    [1004, 1000, '1.00, More advancing, neutral'],
    [1000, 1004, '1.00, More declining, neutral'],
    [1005, 1000, '1.01, More advancing, positive'],
    [0, 1, '0.00, More declining, negative'],
    [1, 0, '1.00, More advancing, neutral'],
    [0, 0, '—, No stocks counted, '],
  ])('names the leading side of %i to %i, even if 1.00 is shown [S9.8]', (up, down, expected) => {
    const counts = { advancing_stocks: up, unchanged_stocks: 0, declining_stocks: down };
    const { text, label, tone } = viewWith({ breadth: counts }).advanced?.breadth?.ratio ?? {};
    expect([text, label, tone].join(', ')).toBe(expected);
  });

  it.each([
    [GICS_SECTORS, null],
    [
      GICS_SECTORS.slice(0, 3),
      '3 of 11 sectors. No data for Energy, Financials, Health Care, Industrials, Information Technology, Materials, Real Estate, Utilities.',
    ],
    [['Technology', 'Energy'], '2 of 11 sectors.'],
  ])('names the sectors without a row and counts the others: %j [S2.30]', (names, text) => {
    const { advanced } = shown({ sectors: sectorRows(Object.fromEntries(names.map((name) => [name, 50]))) });
    const count = Object.keys(INDICATORS).length + names.length + 1;
    expect([advanced?.sectors?.absentText, advanced?.metricCountText]).toEqual([text, `${count} metrics`]);
  });

  const [FIRST, SECOND] = ['Communication Services', 'Consumer Discretionary'];
  it.each([
    [Array<number>(11).fill(0), '11 sectors stand level at 0.0%'],
    [[50.04, 50], `${FIRST} and ${SECOND} stand level at 50.0%`],
    [[70, 70, 50, 30], `${FIRST} and ${SECOND} lead at 70.0%, Energy is last at 30.0%`],
    [[70, 30, 30, 30], `${FIRST} leads at 70.0%, 3 sectors are last at 30.0%`],
    [[70], `${FIRST} stands at 70.0%`],
  ])('the insight on sectors states that several are equal: %j [R13]', (strengths, text) => {
    const sectors = sectorRows(
      Object.fromEntries(strengths.map((each, at) => [GICS_SECTORS[at] ?? '', each])),
    );
    expect(shown({ sectors }).insights?.items[2]?.text.split(';')[0]).toBe(`Sector strength: ${text}`);
  });

  it.each([
    [
      THURSDAY,
      [
        'Fear & Greed stands at 62.4 (Greed), up 3.2 points from the previous close. As of Thu 12 Nov 2026.',
        '54.0% of the market takes part; the advance/decline ratio is 1.32. As of Thu 12 Nov 2026.',
        'Sector strength: Information Technology leads at 82.1%, Utilities is last at 31.0%; 1 of 10 measured sectors is strong, 1 weak. As of Thu 12 Nov 2026.',
      ],
      ['bullish', 'neutral', 'neutral'],
    ],
    [
      '2024-11-13T21:00:00.000Z',
      [
        'Fear & Greed has not been measured since Wed 13 Nov 2024.',
        'The advance/decline ratio is 1.32.',
        'Sector strength has not been measured since Wed 13 Nov 2024.',
      ],
      [null, 'bullish', null],
    ],
  ])('the insights ignore the same old inputs as the signal: %s [R22]', (created_at, texts, dots) => {
    const sectors = FULL.sectors.map((row) => ({ ...row, created_at }));
    const rows = { ...fullWith({ current: { created_at }, metrics: { created_at } }), sectors };
    const { items = [] } = dashboardView(rows, NOW).insights ?? {};
    expect([items.map(({ text }) => text), items.map(({ dot }) => dot)]).toEqual([texts, dots]);
  });

  it('a timeframe without a score keeps its indicators [S3.6]', () => {
    const [short] = FULL.sentiment;
    const told = shown({ sentiment: short ? [{ ...short, score: null }] : [] }).sentiment?.cards[0];
    expect(told).toMatchObject({ score: { text: '50.0' }, description: 'No score available' });
    expect(told?.indicators).toHaveLength(4);
  });
});

describe('missing data', () => {
  const SECTIONS = ['indices', 'sentiment', 'fearGreed', 'metrics', 'advanced', 'insights'] as const;

  const TABLES = [
    'indices',
    'metrics',
    'fearGreed',
    'sectors',
    'indicators',
    'sentiment',
    'breadth',
  ] as const;
  it.each(TABLES)('omits only the section of an empty table: %s [S2.10] [S2.12]', (table) => {
    const view = shown({ [table]: EMPTY[table] });
    // The advanced panel needs one of three tables.
    expect(SECTIONS.filter((name) => view[name] === null)).toEqual(SECTIONS.filter((name) => name === table));
  });

  it('omits the sections of empty tables', () => {
    const empty = dashboardView(EMPTY, NOW);
    expect(SECTIONS.filter((name) => empty[name] === null)).toEqual(SECTIONS);
    const signal = { verdict: 'Insufficient data', inputsText: '0 of 7 inputs', asOf: null };
    expect(empty).toMatchObject({ age: null, demo: null, signal });
  });
});
