export interface PageSettings {
  productName: string;
  /** The configured symbols of the price chart; null for the defaults. */
  widgetSymbols: string | null;
  /** True if the page has its own drawings only, without frames of the charting provider. */
  ownWidgets: boolean;
  /** True if a new subscriber has to confirm by mail. */
  doubleOptIn: boolean;
  /** A sentence beside the age of the data, such as 'Published one session later'. */
  ageNote?: string;
  /** The address at which visitors can subscribe, or '' for none, if the page itself has no form. */
  subscribeAt?: unknown;
}

export const builtInBackend = {
  url: import.meta.env.VITE_SUPABASE_URL,
  anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
};

export const builtIn = {
  widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS,
  widgets: import.meta.env.VITE_WIDGETS,
  doubleOptIn: import.meta.env.VITE_SUBSCRIBE_CONFIRM,
};

const DEFAULT_PRODUCT_NAME = 'Barometer';

/** The text of a setting without spaces around it; empty for anything that is no text. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** The fields of an injected configuration (JSON); null without one. */
export function parseInjected(json: string | null): Record<string, unknown> | null {
  if (json === null) return null;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The settings that the server put into the page (`injected`, JSON), else those of the build. */
export function readConfiguration(
  injected: string | null,
  built: Partial<Record<keyof typeof builtIn, unknown>>,
): PageSettings {
  const page = parseInjected(injected);
  return {
    productName: textOf(page?.productName) || DEFAULT_PRODUCT_NAME,
    widgetSymbols: textOf(page?.widgetSymbols) || textOf(built.widgetSymbols) || null,
    ownWidgets: textOf((page ?? built).widgets) === 'own',
    doubleOptIn: page === null ? textOf(built.doubleOptIn) === 'true' : page.doubleOptIn === true,
    ageNote: textOf(page?.ageNote),
    subscribeAt: page?.subscribeAt,
  };
}
