import { type builtInBackend, parseInjected, textOf } from './configuration.ts';

function absolute(url: string, base: string): string | null {
  try {
    return new URL(url, base).href.replace(/(?<!\/)\/+$/, '');
  } catch {
    return null;
  }
}

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** The address for this visitor: without `PUBLIC_URL` a server states a loopback address, which only its machine reaches. */
function reachable(url: string, base: string): string | null {
  const given = absolute(url, base);
  if (given === null) return null;
  const { hostname, origin } = new URL(given);
  return THIS_MACHINE.test(hostname) && origin !== new URL(base).origin ? absolute('.', base) : given;
}

/**
 * The backend that the page reads from, with an absolute `supabaseUrl`: the one that the server put into the page
 * (`injected`, JSON), else that of the build; null if there is none. An empty or relative injected `supabaseUrl` is resolved
 * against `base`, the page's own address.
 */
export function readBackend(
  injected: string | null,
  built: Partial<Record<keyof typeof builtInBackend, unknown>>,
  base: string,
) {
  const page = parseInjected(injected);
  const pageKey = textOf(page?.anonKey);
  const pageUrl = page !== null && pageKey !== '' ? reachable(textOf(page.supabaseUrl) || '.', base) : null;
  if (pageUrl !== null) return { supabaseUrl: pageUrl, anonKey: pageKey };

  const builtKey = textOf(built.anonKey);
  const builtUrl = textOf(built.url);
  const url = builtKey !== '' && builtUrl !== '' ? absolute(builtUrl, base) : null;
  return url === null ? null : { supabaseUrl: url, anonKey: builtKey };
}
