/** The backend that the page reads from. `supabaseUrl` is absolute. */
export interface Backend {
  supabaseUrl: string;
  anonKey: string;
}

export interface PageConfiguration {
  /** Null when the page has no backend to read from. */
  backend: Backend | null;
  productName: string;
  /** In the format of `parseSymbols`; null for the default symbols. */
  widgetSymbols: string | null;
  /** True if a new subscriber has to confirm by mail before any other mail. */
  asksToConfirm: boolean;
}

/** The `VITE_` values of a static build. */
interface BuiltInBackend {
  url?: unknown;
  anonKey?: unknown;
}

interface BuiltIn extends BuiltInBackend {
  widgetSymbols?: unknown;
  asksToConfirm?: unknown;
}

const DEFAULT_PRODUCT_NAME = 'Barometer';

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

function parseInjected(json: string | null): Record<string, unknown> | null {
  if (json === null) return null;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function absolute(url: string, base: string): string | null {
  try {
    return new URL(url, base).href.replace(/(?<!\/)\/+$/, '');
  } catch {
    return null;
  }
}

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/**
 * Returns the backend's URL for this visitor. Without `PUBLIC_URL` a server states a loopback address. A visitor from
 * another machine then uses the address of the page instead.
 */
function reachable(url: string, base: string): string | null {
  const given = absolute(url, base);
  if (given === null) return null;
  const { hostname, origin } = new URL(given);
  return THIS_MACHINE.test(hostname) && origin !== new URL(base).origin ? absolute('.', base) : given;
}

function backendOf(
  page: Record<string, unknown> | null,
  builtIn: BuiltInBackend,
  base: string,
): Backend | null {
  const pageKey = textOf(page?.anonKey);
  const pageUrl = page !== null && pageKey !== '' ? reachable(textOf(page.supabaseUrl) || '.', base) : null;
  if (pageUrl !== null) return { supabaseUrl: pageUrl, anonKey: pageKey };

  const builtKey = textOf(builtIn.anonKey);
  const builtUrl = textOf(builtIn.url);
  const url = builtKey !== '' && builtUrl !== '' ? absolute(builtUrl, base) : null;
  return url === null ? null : { supabaseUrl: url, anonKey: builtKey };
}

/** The backend of `readConfiguration` only. Needs much less code. */
export function readBackend(injected: string | null, builtIn: BuiltInBackend, base: string): Backend | null {
  return backendOf(parseInjected(injected), builtIn, base);
}

/**
 * The configuration that the server put into the page (`injected`, JSON), else that of the build. An empty or relative
 * injected `supabaseUrl` is resolved against `base`, the page's own address.
 */
export function readConfiguration(
  injected: string | null,
  builtIn: BuiltIn,
  base: string,
): PageConfiguration {
  const page = parseInjected(injected);
  return {
    backend: backendOf(page, builtIn, base),
    productName: textOf(page?.productName) || DEFAULT_PRODUCT_NAME,
    widgetSymbols: textOf(page?.widgetSymbols) || textOf(builtIn.widgetSymbols) || null,
    asksToConfirm: page === null ? textOf(builtIn.asksToConfirm) === 'true' : page.asksToConfirm === true,
  };
}
