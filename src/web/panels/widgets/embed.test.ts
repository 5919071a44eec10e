import { expect, test } from 'vitest';
import { embedUrl, saysLoaded } from './embed.ts';
import { heatmapSettings, hotlistsSettings, marketOverviewSettings } from './settings.ts';

const colours = { growth: '#0a0', fall: '#a00', growthFill: '#0a01', fallFill: '#a001', none: '#0000' };

test('a frame is addressed with its settings after the hash', () => {
  const url = new URL(embedUrl('stock-heatmap', { dataSource: 'SPX500' }));
  expect(url.origin + url.pathname).toBe('https://www.tradingview-widget.com/embed-widget/stock-heatmap/');
  expect(url.searchParams.get('locale')).toBe('en');
  expect(JSON.parse(decodeURIComponent(url.hash.slice(1)))).toEqual({ dataSource: 'SPX500' });
});

test('only the provider itself can say that a widget has loaded', () => {
  expect(saysLoaded('https://www.tradingview-widget.com', { name: 'tv-widget-load' })).toBe(true);
  expect(saysLoaded('https://elsewhere.example', { name: 'tv-widget-load' })).toBe(false);
  expect(saysLoaded('https://www.tradingview-widget.com', 'tv-widget-load')).toBe(false);
});

test('the widgets are dark, transparent where they can be, and of the specified range and source', () => {
  const common = { colorTheme: 'dark', locale: 'en', width: '100%', height: '100%' };
  expect(marketOverviewSettings(colours)).toMatchObject({ ...common, isTransparent: true, dateRange: '12M' });
  expect(marketOverviewSettings(colours, '1M')).toMatchObject({
    dateRange: '1M',
    tabs: [
      { symbols: [{ s: 'FOREXCOM:SPXUSD' }, { s: 'AMEX:SPY' }, { s: 'AMEX:IWM' }, { s: 'NASDAQ:QQQ' }] },
    ],
  });
  expect(hotlistsSettings(colours)).toMatchObject({
    ...common,
    exchange: 'US',
    plotLineColorGrowing: '#0a0',
  });
  expect(heatmapSettings()).toMatchObject({
    ...common,
    dataSource: 'SPX500',
    grouping: 'sector',
    blockSize: 'market_cap_basic',
    blockColor: 'change',
  });
});
