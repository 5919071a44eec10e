import type { Theme } from '../../ui/theme.ts';
import { HEATMAP, MARKET_OVERVIEW, PRICE_CHART } from './specified.ts';
import type { WidgetSymbol } from './symbols.ts';

/** The origin of the widgets. The server's policy allows only frames of this origin. */
export const EMBED_ORIGIN = 'https://www.tradingview-widget.com';

export type WidgetId = 'market-overview' | 'hotlists' | 'stock-heatmap';

export type WidgetSettings = Readonly<Record<string, unknown>>;

/** Address of a widget, without its settings. */
export function widgetUrl(id: WidgetId): string {
  return `${EMBED_ORIGIN}/embed-widget/${id}/?locale=en`;
}

/** The address of a widget's frame, with its settings after the hash. */
export function embedUrl(id: WidgetId, settings: WidgetSettings): string {
  return `${widgetUrl(id)}#${encodeURIComponent(JSON.stringify(settings))}`;
}

/** True if a message is a widget's notice that it has loaded. */
export function isLoadedMessage(origin: string, data: unknown): boolean {
  return (
    origin === EMBED_ORIGIN &&
    typeof data === 'object' &&
    data !== null &&
    'name' in data &&
    data.name === 'tv-widget-load'
  );
}

/** Colours of the page's tokens in the provider's format. */
export interface WidgetColours {
  growth: string;
  fall: string;
  growthFill: string;
  fallFill: string;
  none: string;
}

export type DateRange = '1D' | '1M' | '3M' | '12M' | '60M' | 'ALL';

/** Theme and colours of the page, which a widget follows. */
export interface WidgetLook {
  theme: Theme;
  colours: WidgetColours;
}

// A height such as '550px' invalidates the whole configuration. The frame sets the height and the widget fills it.
const common = (theme: Theme) =>
  ({ colorTheme: theme, locale: 'en', width: '100%', height: '100%' }) as const;

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

/** Price charts of symbols. */
export function marketOverviewSettings(
  { theme, colours }: WidgetLook,
  symbols: readonly WidgetSymbol[],
  dateRange: DateRange = MARKET_OVERVIEW.dateRange,
): WidgetSettings {
  return { ...common(theme), ...lines(colours), dateRange, tabs: [{ title: 'Indices', symbols }] };
}

/** Top gainers, losers and most active of the US exchanges. */
export function hotlistsSettings({ theme, colours }: WidgetLook): WidgetSettings {
  return { ...common(theme), ...lines(colours), exchange: 'US', dateRange: '12M' };
}

/** The heatmap of the S&P 500. This widget supports neither transparency nor our colours of growth and fall. */
export function heatmapSettings({ theme }: WidgetLook): WidgetSettings {
  return {
    ...common(theme),
    dataSource: HEATMAP.dataSource,
    grouping: 'sector',
    blockSize: 'market_cap_basic',
    blockColor: 'change',
    hasTopBar: false,
    isZoomEnabled: true,
    hasSymbolTooltip: true,
  };
}

/** The settings of each widget of the page. */
export function widgetSettings(
  id: WidgetId,
  look: WidgetLook,
  symbols: readonly WidgetSymbol[],
): WidgetSettings {
  switch (id) {
    case 'market-overview':
      return marketOverviewSettings(look, symbols, PRICE_CHART.dateRange);
    case 'hotlists':
      return hotlistsSettings(look);
    case 'stock-heatmap':
      return heatmapSettings(look);
  }
}
