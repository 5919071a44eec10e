/** Settings of a deployment's page. */
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

/** The backend set at build time, if any. */
export const builtInBackend = {
  url: import.meta.env.VITE_SUPABASE_URL,
  anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
};

/** The page's settings from build time. */
export const builtIn = {
  widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS,
  widgets: import.meta.env.VITE_WIDGETS,
  doubleOptIn: import.meta.env.VITE_SUBSCRIBE_CONFIRM,
};

/** The `VITE_` values of a static build. */
interface BuiltIn {
  widgetSymbols?: unknown;
  widgets?: unknown;
  doubleOptIn?: unknown;
}

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
export function readConfiguration(injected: string | null, builtIn: BuiltIn): PageSettings {
  const page = parseInjected(injected);
  return {
    productName: textOf(page?.productName) || DEFAULT_PRODUCT_NAME,
    widgetSymbols: textOf(page?.widgetSymbols) || textOf(builtIn.widgetSymbols) || null,
    ownWidgets: textOf((page ?? builtIn).widgets) === 'own',
    doubleOptIn: page === null ? textOf(builtIn.doubleOptIn) === 'true' : page.doubleOptIn === true,
    ageNote: textOf(page?.ageNote),
    subscribeAt: page?.subscribeAt,
  };
}
