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
export function saysLoaded(origin: string, data: unknown): boolean {
  return (
    origin === EMBED_ORIGIN &&
    typeof data === 'object' &&
    data !== null &&
    'name' in data &&
    data.name === 'tv-widget-load'
  );
}
