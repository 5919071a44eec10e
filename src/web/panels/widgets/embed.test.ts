import { expect, test } from 'vitest';
import { embedUrl, isLoadedMessage, widgetSettings } from './embed.ts';
import { MARKET_OVERVIEW, PRICE_CHART, WIDGETS, type WidgetId } from './specified.ts';
import { DEFAULT_SYMBOLS } from './symbols.ts';

const colours = { growth: '#0a0', fall: '#a00', growthFill: '#0a01', fallFill: '#a001', none: '#0000' };
const dark = { theme: 'dark', colours } as const;
const settingsOf = (id: WidgetId, look: Parameters<typeof widgetSettings>[1] = dark) =>
  widgetSettings(id, look, DEFAULT_SYMBOLS);

test('puts the settings of a frame after the hash of its address [S7.7]', () => {
  const url = new URL(embedUrl('stock-heatmap', { dataSource: 'SPX500' }));
  expect(url.origin + url.pathname).toBe('https://www.tradingview-widget.com/embed-widget/stock-heatmap/');
  expect(url.searchParams.get('locale')).toBe('en');
  expect(JSON.parse(decodeURIComponent(url.hash.slice(1)))).toEqual({ dataSource: 'SPX500' });
});

test('encodes a hostile symbol name', () => {
  const symbols = [{ s: 'AMEX:SPY', d: '"}]}#</script>&locale=xx' }];
  const url = new URL(embedUrl('market-overview', widgetSettings('market-overview', dark, symbols)));
  expect(url.search).toBe('?locale=en');
  expect(JSON.parse(decodeURIComponent(url.hash.slice(1)))).toMatchObject({ tabs: [{ symbols }] });
});

test('accepts a load message only from the provider', () => {
  expect(isLoadedMessage('https://www.tradingview-widget.com', { name: 'tv-widget-load' })).toBe(true);
  expect(isLoadedMessage('https://elsewhere.example', { name: 'tv-widget-load' })).toBe(false);
  expect(isLoadedMessage('https://www.tradingview-widget.com', 'tv-widget-load')).toBe(false);
  expect(isLoadedMessage('https://www.tradingview-widget.com', null)).toBe(false);
});

test('has the specified heights, ranges and source [S2.14] [S2.32] [S9.21] [R9]', () => {
  expect(MARKET_OVERVIEW).toEqual({ dateRange: '12M', height: 550 });
  expect(PRICE_CHART).toEqual({ dateRange: '1M', height: 500 });
  expect(Object.values(WIDGETS).map(({ height }) => height)).toEqual([500, 550, 600]);
  expect(settingsOf('stock-heatmap')).toMatchObject({ dataSource: 'SPX500' });
});

test('the widgets are dark and transparent, with growth and fall colours [S2.35]', () => {
  const common = { colorTheme: 'dark', locale: 'en', width: '100%', height: '100%' };
  const lines = {
    isTransparent: true,
    plotLineColorGrowing: '#0a0',
    plotLineColorFalling: '#a00',
    belowLineFillColorGrowing: '#0a01',
    belowLineFillColorFalling: '#a001',
    belowLineFillColorGrowingBottom: '#0000',
  };
  expect(settingsOf('market-overview')).toMatchObject({
    ...common,
    ...lines,
    dateRange: '12M',
    tabs: [
      { symbols: [{ s: 'FOREXCOM:SPXUSD' }, { s: 'AMEX:SPY' }, { s: 'AMEX:IWM' }, { s: 'NASDAQ:QQQ' }] },
    ],
  });
  expect(widgetSettings('market-overview', dark, DEFAULT_SYMBOLS, '1M')).toMatchObject({ dateRange: '1M' });
  expect(settingsOf('hotlists')).toMatchObject({ ...common, ...lines, exchange: 'US' });
  expect(settingsOf('stock-heatmap')).toMatchObject({
    ...common,
    dataSource: 'SPX500',
    grouping: 'sector',
    blockSize: 'market_cap_basic',
    blockColor: 'change',
  });
});

test('the widgets are light on a light page', () => {
  for (const id of ['market-overview', 'hotlists', 'stock-heatmap'] as const) {
    expect(settingsOf(id, { ...dark, theme: 'light' }).colorTheme).toBe('light');
  }
});
