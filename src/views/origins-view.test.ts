import { describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { SERIES } from '#domain/market-history.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { advancedView } from './advanced-view.ts';
import { INPUT_WORDS, originItems, originsView } from './origins-view.ts';
import { sourcesView } from './sources-view.ts';

/** An origin of Fri 13 Nov 2026, 14:05 in New York. */
const origin = (input: string, more: Partial<InputOriginRow> = {}): InputOriginRow => ({
  ...{ input, provider: 'yahoo', session: '2026-11-13', observed_at: '2026-11-13T19:05:00.000Z' },
  ...{ fetched_at: '2026-11-13T19:06:30.000Z', created_at: '2026-11-13T19:05:00.000Z', ...more },
});
const thursday = { session: '2026-11-12', observed_at: '2026-11-12T21:00:00.000Z' };
const wsj = { provider: 'wsj', ...thursday };
const nobody = { provider: null, session: null, observed_at: null, fetched_at: null };

const pageOf = (rows: DashboardRows) => ({
  ...{ universe: 'S&P 500', advanced: advancedView(rows, CLOSE, Date.parse(CLOSE)) },
});
const stocks = { trin_universe: 'S&P 500', high_low_universe: 'S&P 500', mcclellan_universe: 'S&P 500' };
/** A page whose tiles count the stocks followed. */
const OF_STOCKS = pageOf(fullWith({ indicators: stocks, breadth: { universe: 'S&P 500' } }));

/** The indicators after the seven that the cases name. Without them, a new one changes no case. */
const FURTHER: readonly string[] = Object.values(INDICATORS)
  .slice(7)
  .map(({ name }) => name);
const fedOf = (page: ReturnType<typeof pageOf>, ...rows: InputOriginRow[]) =>
  originsView(rows, page).items.flatMap(({ name, fed }) => {
    const numbers = fed.split(', ').filter((number) => !FURTHER.includes(number));
    return numbers.length === 0 ? [] : [`${name}: ${numbers.join(', ')}`];
  });

describe('origins of inputs', () => {
  it.each<[string, InputOriginRow[], string[]]>([
    [
      'have words and the New York times of their newest value and of its fetch',
      [
        origin('treasury_10y_yield', { provider: 'fred', ...thursday }),
        origin('vix_close', { provider: 'cboe' }),
        origin('bars', { provider: 'alpaca' }),
      ],
      [
        'Stock prices (S&P 500) | Alpaca | Fri 13 Nov, 14:05 | 13 Nov 14:06',
        'VIX | Cboe | Fri 13 Nov, 14:05 | 13 Nov 14:06',
        '10-year Treasury yield | FRED | Thu 12 Nov, close, earlier | 13 Nov 14:06',
      ],
    ],
    [
      'state that no provider had an input',
      [
        origin('put_call_total', nobody),
        origin('tick_proxy', { session: null, fetched_at: null }),
        origin('bars', { observed_at: null }),
        origin('vix_close', { session: '2026-11-12' }),
      ],
      [
        'Stock prices (S&P 500) | Yahoo Finance | Fri 13 Nov | 13 Nov 14:06',
        'VIX | Yahoo Finance | Thu 12 Nov, 13 Nov 14:05, earlier | 13 Nov 14:06',
        'Put/call ratio | No provider gave it | — | —',
        'One-minute prices | Yahoo Finance | — | —',
      ],
    ],
    [
      'name no provider for a value from before origins were recorded',
      [origin('vix_close', { provider: null, ...thursday, fetched_at: null })],
      ['VIX | Not recorded | Thu 12 Nov, close, earlier | —'],
    ],
    [
      'share one line if the inputs of a group arrived together',
      [
        origin('dow_jones_close', { provider: 'fred' }),
        origin('nasdaq_composite_close'),
        ...[origin('nyse_new_lows', wsj), origin('nyse_advances', wsj)],
        ...[origin('sp500_close'), origin('nyse_trin', nobody)],
      ],
      [
        'Index levels (S&P 500, Nasdaq Composite) | Yahoo Finance | Fri 13 Nov, 14:05 | 13 Nov 14:06',
        'Index levels (Dow Jones) | FRED | Fri 13 Nov, 14:05 | 13 Nov 14:06',
        'NYSE counts | The Wall Street Journal | Thu 12 Nov, close, earlier | 13 Nov 14:06',
        'NYSE TRIN | No provider gave it | — | —',
      ],
    ],
    [
      'have different names if the inputs of a group have different origins',
      [origin('nyse_advances'), origin('nyse_declines'), origin('nyse_new_highs', nobody)],
      [
        'NYSE counts (advances, declines) | Yahoo Finance | Fri 13 Nov, 14:05 | 13 Nov 14:06',
        'NYSE counts (new highs) | No provider gave it | — | —',
      ],
    ],
  ])('%s', (_, rows, lines) => {
    const shown = originsView(rows, pageOf(FULL)).items.map((item) => {
      const observed = item.earlier ? `${item.observedText}, earlier` : item.observedText;
      return [item.name, item.provider, observed, item.fetchedText].join(' | ');
    });
    expect(shown).toEqual(lines);
  });

  it('name the numbers that each input feeds, in the order of the page', () => {
    const rows = Object.keys(INPUT_WORDS).map((input) => origin(input));
    // Both ratios share a line; the tile shows the total.
    expect(fedOf(pageOf(FULL), origin('put_call_total')).join()).toContain('Put/Call Ratio');
    expect(fedOf(pageOf(FULL), origin('put_call_equity')).join()).not.toContain('Put/Call Ratio');
    expect(fedOf(pageOf(FULL), ...rows)).toEqual([
      'Stock prices (S&P 500): Market Sentiment, Fear & Greed (until enough NYSE counts are stored), Market Exposure, Overall Strength, Sector Strength',
      'Index levels: S&P 500, Nasdaq Composite, Dow Jones, Market Sentiment, Fear & Greed, Overall Strength, Sector Strength',
      'Volume of the S&P 500: Market Sentiment',
      'VIX: Fear & Greed, VIX, VIX Change',
      'Put/call ratio: Fear & Greed, Put/Call Ratio',
      'Credit spreads: Fear & Greed',
      '10-year Treasury yield: Fear & Greed (if the bond fund is missing)',
      'Treasury bond fund: Fear & Greed',
      'Financial Stress Index: the risk page',
      'NYSE counts: Fear & Greed (once enough are stored), Overall Strength, McClellan Oscillator, High/Low Index, Market Breadth',
      'NYSE TRIN: TRIN',
      'One-minute prices: TICK Index',
    ]);
  });

  it('name the stock prices for the tiles that count the stocks followed', () => {
    const counts = ['nyse_advances', 'nyse_declines', 'nyse_unchanged', 'nyse_new_highs', 'nyse_new_lows'];
    const ofStocks =
      'Stock prices (S&P 500): Market Sentiment, Fear & Greed (until enough NYSE counts are stored), Market Exposure, Overall Strength, TRIN, McClellan Oscillator, High/Low Index, Sector Strength, Market Breadth';
    const fed = (more: Partial<InputOriginRow>) =>
      fedOf(OF_STOCKS, origin('bars'), ...[...counts, 'nyse_trin'].map((input) => origin(input, more)));
    expect(fed(wsj)).toEqual([ofStocks, 'NYSE counts: Fear & Greed (once enough are stored)']);
    expect(fed(nobody)).toEqual([ofStocks]);
  });

  it('name a missing input for the tiles without a number', () => {
    const noTrin = pageOf(fullWith({ indicators: { trin: null, trin_universe: null } }));
    expect(fedOf(noTrin, origin('nyse_trin', nobody))).toEqual(['NYSE TRIN: TRIN']);
    expect(fedOf(pageOf(EMPTY), origin('nyse_unchanged', nobody))).toEqual(['NYSE counts: Market Breadth']);
  });

  it('leave out inputs that feed no number of the page', () => {
    const strange = origin('constructor', { provider: 'toString' });
    expect(fedOf(pageOf(FULL), strange, origin('tick_proxy'))).toEqual(['One-minute prices: TICK Index']);
    expect(originsView([strange], pageOf(FULL)).items).toEqual([]);
    expect(originItems([strange], 'S&P 500')).toMatchObject([{ name: 'constructor', provider: 'toString' }]);
  });

  it('have words for every possible input', () => {
    expect(Object.keys(INPUT_WORDS).sort()).toEqual(['bars', ...SERIES].sort());
  });

  it('name the rows, or state that no origin is recorded', () => {
    expect(originsView([origin('bars')], pageOf(FULL)).text).toMatch(
      /^Inputs of the numbers as of Fri 13 Nov 2026, 14:05 New York time\./,
    );
    const text = 'The origin of these numbers was not recorded.';
    expect(originsView([], pageOf(FULL))).toEqual({ items: [], text });
  });
});

it('the sources of the page are those of the newest rows: a sentence for a demonstration and for files', () => {
  const of = (source: 'simulated' | 'csv' | null) =>
    sourcesView({ ...EMPTY, indices: FULL.indices.map((row) => ({ ...row, source })) });
  expect(sourcesView(FULL)).toEqual({ createdAt: CLOSE, universe: 'S&P 500', text: null });
  expect(of(null)).toEqual({ createdAt: CLOSE, universe: 'the stocks followed', text: null });
  expect([of('simulated')?.text, of('csv')?.text]).toEqual([
    ...[
      expect.stringContaining('simulated market'),
      expect.stringContaining('files that the operator of this page supplied'),
    ],
  ]);
  expect(sourcesView(EMPTY)).toBeNull();
});
