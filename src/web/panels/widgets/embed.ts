import type { Theme } from '../../ui/theme.ts';
import { MARKET_OVERVIEW, type WidgetId } from './specified.ts';
import type { WidgetSymbol } from './symbols.ts';

/** The origin of the widgets. The server's policy allows only frames of this origin. */
export const EMBED_ORIGIN = 'https://www.tradingview-widget.com';

/** The address of a widget's frame, with its settings after the hash. */
export function embedUrl(id: WidgetId, settings: Readonly<Record<string, unknown>>): string {
  return `${EMBED_ORIGIN}/embed-widget/${id}/?locale=en#${encodeURIComponent(JSON.stringify(settings))}`;
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

/** Theme and colours of the page, which a widget follows. The colours are in the provider's format. */
export interface WidgetLook {
  theme: Theme;
  colours: Record<'growth' | 'fall' | 'growthFill' | 'fallFill' | 'none', string>;
}

/** The settings of a widget of the page. Symbols and range are those of the market overview. */
export function widgetSettings(
  id: WidgetId,
  { theme, colours }: WidgetLook,
  symbols: readonly WidgetSymbol[],
  dateRange: string = MARKET_OVERVIEW.dateRange,
) {
  // A height such as '550px' invalidates the whole configuration. The frame sets the height and the widget fills it.
  const common = { colorTheme: theme, locale: 'en', width: '100%', height: '100%' };
  const lines = {
    ...common,
    isTransparent: true,
    showChart: true,
    plotLineColorGrowing: colours.growth,
    plotLineColorFalling: colours.fall,
    belowLineFillColorGrowing: colours.growthFill,
    belowLineFillColorFalling: colours.fallFill,
    belowLineFillColorGrowingBottom: colours.none,
    belowLineFillColorFallingBottom: colours.none,
  };
  switch (id) {
    case 'market-overview':
      return { ...lines, dateRange, tabs: [{ title: 'Indices', symbols }] };
    case 'hotlists':
      return { ...lines, exchange: 'US', dateRange: '12M' };
    // It supports neither transparency nor colours of growth and fall.
    case 'stock-heatmap':
      return {
        ...common,
        dataSource: 'SPX500',
        grouping: 'sector',
        blockSize: 'market_cap_basic',
        blockColor: 'change',
        hasTopBar: false,
        isZoomEnabled: true,
        hasSymbolTooltip: true,
      };
  }
}
