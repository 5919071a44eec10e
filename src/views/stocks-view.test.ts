import { describe, expect, it } from 'vitest';
import { MARKET_STOCKS, type MarketStockRow, parseRows } from '#schema/columns.ts';
import { stocksView, writeMillions } from './stocks-view.ts';

const stock = (symbol: string, change_percent: number | null, more: Partial<MarketStockRow> = {}) => ({
  ...({ symbol, name: `${symbol} Company`, sector: 'Energy', change_percent, weight: 10 } as const),
  ...({ volume: 1.5, source: 'live', created_at: '2026-11-13T21:00:00.000Z', ...more } as const),
});
const symbolsOf = (stocks: readonly { symbol: string }[]) => stocks.map(({ symbol }) => symbol).join(' ');

describe('the view of the stocks', () => {
  it('lists five gainers and five losers, the largest first', () => {
    const changes = [0.5, -0.5, 900, -99.99, 1, -1, 2, -2, 3, -3, 4, -4, 0];
    const view = stocksView([...changes, null].map((change, index) => stock(`S${index}`, change)));
    expect([symbolsOf(view.gainers), symbolsOf(view.losers)]).toEqual(['S2 S10 S8 S6 S4', 'S3 S11 S9 S7 S5']);
    const first = { changeText: '+900.00%', tone: 'positive', step: 4, volumeText: '1.50M' };
    expect(view.gainers[0]).toMatchObject(first);
    const asOfText = 'Our own, as of Fri 13 Nov 2026, close';
    expect(view).toMatchObject({ title: 'Heatmap of 14 stocks', asOfText, demo: null });
    expect(view.countsText).toBe('6 up, 6 down, 1 unchanged, 1 unknown');
  });

  it('lists no mover if every stock is unchanged', () => {
    const view = stocksView([stock('A', 0), stock('B', 0.004)]);
    expect([view.gainers, view.losers, view.countsText]).toEqual([[], [], '0 up, 0 down, 2 unchanged']);
  });

  it('orders sectors and stocks by weight, and leaves out stocks without one', () => {
    const { sectors } = stocksView([
      stock('A', 1, { weight: 3 }),
      stock('B', 1, { weight: 5, sector: 'Alone' }),
      stock('C', 1, { weight: 4 }),
      stock('D', 1, { weight: null }),
      stock('E', 1, { weight: 0, sector: 'Nothing' }),
    ]);
    expect(sectors.map(({ name, tiles }) => [name, symbolsOf(tiles.map(({ stock }) => stock))])).toEqual([
      ['Energy', 'C A'],
      ['Alone', 'B'],
    ]);
  });

  it('shortens the names of known sectors only', () => {
    const namesOf = (sector: string) => stocksView([stock('A', 1, { sector })]).sectors[0]?.shortName;
    const shown = ['Information Technology', 'Mining', 'constructor'].map(namesOf);
    expect(shown).toEqual(['Tech', 'Mining', 'constructor']);
  });

  it('has a sentence without stocks, and marks demonstration data', () => {
    expect(stocksView([])).toMatchObject({ asOfText: null, sectors: [], gainers: [] });
    expect(stocksView([stock('A', 1, { source: 'simulated' })]).demo?.kind).toBe('simulated');
  });

  it('cuts long names and removes marks that reverse the line', () => {
    const [row] = parseRows(MARKET_STOCKS, [stock('A', 1, { name: `\u202e\u2067${'long '.repeat(30)}` })]);
    const view = stocksView(row ? [row] : []);
    expect(view.gainers[0]?.name).toMatch(/^long [\w ]{50,54}…$/);
  });

  it.each([
    [null, '—'],
    [0, '0'],
    [0.0000004, '0'],
    [0.000512, '512'],
    [0.00512, '5.12K'],
    [0.9996, '1.00M'],
    [51.2, '51.2M'],
    [999.6, '1.00B'],
    [1_230, '1.23B'],
    [123_456_789, '123T'],
  ])('writes %d million as %s', (millions, text) => {
    expect(writeMillions(millions)).toBe(text);
  });
});
