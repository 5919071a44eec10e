import { describe, expect, it } from 'vitest';
import { SERIES } from '#domain/market-history.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import { CLOSE, EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { INPUT_WORDS, originsView } from './origins-view.ts';
import { sourcesView } from './sources-view.ts';

/** An origin of Fri 13 Nov 2026, 14:05 in New York. */
const origin = (input: string, more: Partial<InputOriginRow> = {}): InputOriginRow => ({
  input,
  provider: 'yahoo',
  session: '2026-11-13',
  observed_at: '2026-11-13T19:05:00.000Z',
  fetched_at: '2026-11-13T19:06:30.000Z',
  created_at: '2026-11-13T19:05:00.000Z',
  ...more,
});
const thursday = { session: '2026-11-12', observed_at: '2026-11-12T21:00:00.000Z' };
const nobody = { provider: null, session: null, observed_at: null, fetched_at: null };

const linesOf = (...rows: InputOriginRow[]) =>
  originsView(rows, 'S&P 500').items.map(({ name, parts, provider, ...item }) =>
    [
      parts === null ? name : `${name} (${parts})`,
      provider,
      `${item.observedText}${item.earlier ? ', earlier' : ''}`,
      item.fetchedText,
    ].join(' | '),
  );

describe('origins of inputs', () => {
  it('have words and the New York times of their newest value and of its fetch', () => {
    expect(
      linesOf(
        origin('treasury_10y_yield', { provider: 'fred', ...thursday }),
        origin('vix_close', { provider: 'cboe' }),
        origin('bars', { provider: 'alpaca' }),
      ),
    ).toEqual([
      'Stock prices (S&P 500) | Alpaca | Fri 13 Nov, 14:05 | 13 Nov 14:06',
      'VIX | Cboe | Fri 13 Nov, 14:05 | 13 Nov 14:06',
      '10-year Treasury yield | FRED | Thu 12 Nov, close, earlier | 13 Nov 14:06',
    ]);
  });

  it('state that no provider had an input, or which part is missing', () => {
    expect(
      linesOf(
        origin('put_call_total', nobody),
        origin('tick_proxy', { session: null, fetched_at: null }),
        origin('bars', { observed_at: null }),
        origin('vix_close', { session: '2026-11-12' }),
      ),
    ).toEqual([
      'Stock prices (S&P 500) | Yahoo Finance | Fri 13 Nov | 13 Nov 14:06',
      'VIX | Yahoo Finance | Thu 12 Nov, 13 Nov 14:05, earlier | 13 Nov 14:06',
      'Put/call ratio (all options) | No provider gave it | — | —',
      'TICK (from one-minute prices) | Yahoo Finance | — | —',
    ]);
  });

  it('name no provider for a value from before origins were recorded', () => {
    expect(linesOf(origin('vix_close', { provider: null, ...thursday, fetched_at: null }))).toEqual([
      'VIX | Not recorded | Thu 12 Nov, close, earlier | —',
    ]);
  });

  it('share one line if the inputs of a group arrived together', () => {
    const wsj = { provider: 'wsj', ...thursday };
    expect(
      linesOf(
        origin('dow_jones_close', { provider: 'fred' }),
        origin('nasdaq_composite_close'),
        origin('nyse_new_lows', wsj),
        origin('nyse_advances', wsj),
        origin('sp500_close'),
        origin('nyse_trin', nobody),
      ),
    ).toEqual([
      'Index levels (S&P 500, Nasdaq Composite) | Yahoo Finance | Fri 13 Nov, 14:05 | 13 Nov 14:06',
      'Index levels (Dow Jones) | FRED | Fri 13 Nov, 14:05 | 13 Nov 14:06',
      'NYSE counts (advances, new lows) | The Wall Street Journal | Thu 12 Nov, close, earlier | 13 Nov 14:06',
      'NYSE counts (TRIN) | No provider gave it | — | —',
    ]);
  });

  it('list unknown names at the end', () => {
    const strange = origin('constructor', { provider: 'toString' });
    expect(linesOf(strange, origin('vix_close'))).toEqual([
      'VIX | Yahoo Finance | Fri 13 Nov, 14:05 | 13 Nov 14:06',
      'constructor | toString | Fri 13 Nov, 14:05 | 13 Nov 14:06',
    ]);
  });

  it('have words for every possible input', () => {
    expect(Object.keys(INPUT_WORDS).sort()).toEqual(['bars', ...SERIES].sort());
  });

  it('name the rows, or state that no origin is recorded', () => {
    expect(originsView([origin('bars')], 'S&P 500').text).toMatch(
      /^Inputs of the numbers as of Fri 13 Nov 2026, 14:05 New York time\./,
    );
    expect(originsView([], 'S&P 500')).toEqual({
      items: [],
      text: 'The origin of these numbers was not recorded.',
    });
  });
});

describe('the sources of the page', () => {
  const of = (source: 'simulated' | 'csv' | null) => {
    const indices = FULL.indices.map((row) => ({ ...row, source }));
    return sourcesView({ ...EMPTY, indices });
  };

  it('are listed for real data by the time of the newest rows', () => {
    expect(sourcesView(FULL)).toEqual({ createdAt: CLOSE, universe: 'S&P 500', text: null });
    expect(of(null)).toEqual({ createdAt: CLOSE, universe: 'the stocks followed', text: null });
  });

  it('are one sentence for demonstration data and files', () => {
    expect(of('simulated')?.text).toMatch(/simulated market/);
    expect(of('csv')?.text).toMatch(/files/);
    expect(sourcesView(EMPTY)).toBeNull();
  });
});
