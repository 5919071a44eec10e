import { createTableClient, fetchDashboard, sendThrough } from '#queries/client.ts';
import { readWithTime } from '#queries/data-time.ts';
import {
  readCloses,
  readComponents,
  readFigureYear,
  readOrigins,
  readStocks,
  readTimeline,
} from '#queries/read-dashboard.ts';
import { type ListName, parseStoredList, parseStoredRows } from '#queries/stored-rows.ts';
import { subscribe } from '#queries/subscribe.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { whenIdle } from './after-load.ts';
import { readBackend } from './backend.ts';
import { browserStore, readWithFallback } from './browser-store.ts';
import { builtInBackend } from './configuration.ts';
import type { Dependencies, Loaded } from './dependencies.ts';
import { takeOver } from './early-reads.ts';
import { publishedReads } from './published-reads.ts';

export type Reads = Omit<Dependencies, 'now' | 'AdvancedContent' | 'Gauge'> & {
  /** Stores the page and the data of its folded parts, so that a visitor can open them offline. */
  keepForLater: () => void;
};

interface ReadsOptions {
  /** The configuration that the server put into the page, JSON; null without one. */
  injected: string | null;
  base: string;
  productName: string;
  now: () => number;
}

/** The page's reads and its insert; without a backend each throws. Stores the results in the browser for offline use. */
export function readsOf({ injected, base, productName, now }: ReadsOptions): Reads {
  const backend = readBackend(injected, builtInBackend, base);
  // Revalidates recent responses; if nothing changed, the server responds 304 without a body.
  const revalidate: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });
  const files = publishedReads(injected, base, revalidate);
  const read = files?.fetch ?? takeOver(globalThis.barometerReads, revalidate);
  // A new client for each call, so that the call throws the error of a missing backend.
  const client = (fetch = read) =>
    createTableClient({ ...(backend ?? { supabaseUrl: null, anonKey: null }), fetch });
  const store = browserStore(() => localStorage, backend?.supabaseUrl ?? '');
  /** Reads from files are repeated as of their publication. */
  const clock = async () => marketClockAt((await files?.at()) ?? now());

  type RowOf<Name extends ListName> = ReturnType<typeof parseStoredList<Name>>[number];
  const listOf = <Name extends ListName>(name: Name, read: () => Promise<readonly RowOf<Name>[]>) =>
    readWithFallback({ store, now, name, read, parse: (value) => parseStoredList(name, value) });
  const closes = listOf('closes', async () => readCloses(sendThrough(client()), await clock()));
  const history = listOf('timeline', async () => readTimeline(sendThrough(client()), await clock()));
  const stocks = listOf('stocks', () => readStocks(sendThrough(client())));
  const components = listOf('components', async () => readComponents(sendThrough(client()), await clock()));

  function kept(): Loaded | null {
    const stored = store.read('rows', now());
    const rows = stored && parseStoredRows(stored.value);
    if (rows === null || stored === null) return null;
    const view = dashboardView(rows, now(), productName);
    return view.age === null ? null : { view, at: stored.at };
  }

  return {
    load: async () => {
      files?.forget();
      const { rows, view, readAt, isStale, ...timed } = await readWithTime(read, now, async (fetch) => {
        const [began, readAt] = [now(), await files?.at()];
        const rows = await fetchDashboard(client(fetch), marketClockAt(readAt ?? began));
        return { rows, view: dashboardView(rows, began, productName), readAt };
      });
      const at = readAt ?? timed.at;
      history.put(rows.fearGreed.timeline);
      closes.forget();
      stocks.forget();
      components.forget();
      whenIdle(() => {
        const { timeline, ...fearGreed } = rows.fearGreed;
        store.write('rows', { at, value: { ...rows, fearGreed } });
        store.write('timeline', { at, value: timeline });
      });
      return { view, at, isStale };
    },
    kept: async () => kept(),
    loadHistory: history.load,
    loadComponents: components.load,
    loadFigure: async (figure) => readFigureYear(sendThrough(client()), await clock(), figure),
    loadCloses: closes.load,
    loadStocks: stocks.load,
    keepForLater: () => {
      registerServiceWorker(base);
      history.load().catch(() => {});
      closes.load().catch(() => {});
    },
    loadOrigins: async (createdAt) => readOrigins(sendThrough(client()), createdAt),
    subscribe: async (email, alerts) => subscribe(client(), email, alerts),
  };
}

/** Registers the service worker, which serves the page offline. Only in a production build, because the page works without. */
function registerServiceWorker(base: string): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL('service-worker.js', base)).catch(() => {});
}
