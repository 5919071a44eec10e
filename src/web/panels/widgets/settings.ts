import type { WidgetSettings } from './embed.ts';

/** Colours of the page's tokens, as the provider takes them. */
export interface WidgetColours {
  growth: string;
  fall: string;
  growthFill: string;
  fallFill: string;
  none: string;
}

export type DateRange = '1D' | '1M' | '3M' | '12M' | '60M' | 'ALL';

const SYMBOLS = [
  { s: 'FOREXCOM:SPXUSD', d: 'S&P 500' },
  { s: 'AMEX:SPY', d: 'S&P 500 ETF' },
  { s: 'AMEX:IWM', d: 'Russell 2000 ETF' },
  { s: 'NASDAQ:QQQ', d: 'Nasdaq 100 ETF' },
] as const;

// A height like '550px' voids the whole configuration; the frame has the height, the widget fills it.
const COMMON = { colorTheme: 'dark', locale: 'en', width: '100%', height: '100%' } as const;

const lines = ({ growth, fall, growthFill, fallFill, none }: WidgetColours) => ({
  isTransparent: true,
  showChart: true,
  plotLineColorGrowing: growth,
  plotLineColorFalling: fall,
  belowLineFillColorGrowing: growthFill,
  belowLineFillColorFalling: fallFill,
  belowLineFillColorGrowingBottom: none,
  belowLineFillColorFallingBottom: none,
});

/** Price charts of the symbols above. */
export function marketOverviewSettings(colours: WidgetColours, dateRange: DateRange = '12M'): WidgetSettings {
  return { ...COMMON, ...lines(colours), dateRange, tabs: [{ title: 'Indices', symbols: SYMBOLS }] };
}

/** Top gainers, losers and most active of the US exchanges. */
export function hotlistsSettings(colours: WidgetColours): WidgetSettings {
  return { ...COMMON, ...lines(colours), exchange: 'US', dateRange: '12M' };
}

/** The S&P 500 in blocks. It knows neither transparency nor growth and fall colours. */
export function heatmapSettings(): WidgetSettings {
  return {
    ...COMMON,
    dataSource: 'SPX500',
    grouping: 'sector',
    blockSize: 'market_cap_basic',
    blockColor: 'change',
    hasTopBar: false,
    isZoomEnabled: true,
    hasSymbolTooltip: true,
  };
}
