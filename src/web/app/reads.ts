import { createTableClient, fetchDashboard, sendThrough } from '#queries/client.ts';
import { readCloses } from '#queries/read-closes.ts';
import { readOrigins } from '#queries/read-dashboard.ts';
import { readComponents, readTimeline } from '#queries/read-fear-greed.ts';
import { timedRead } from '#queries/response-time.ts';
import {
  parseStoredCloses,
  parseStoredComponents,
  parseStoredRows,
  parseStoredTimeline,
} from '#queries/stored-rows.ts';
import { subscribe } from '#queries/subscribe.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { whenIdle } from './after-load.ts';
import { readBackend } from './backend.ts';
import { browserStore, keptRead } from './browser-store.ts';
import { builtInBackend } from './configuration.ts';
import type { Dependencies, Loaded } from './dependencies.ts';
import { takeOver } from './early-reads.ts';

export type Reads = Omit<Dependencies, 'now'> & {
  /** Stores the page and the data of its folded parts, so that a visitor can open them offline. */
  keepForLater: () => void;
};

interface ReadsOptions {
  /** The configuration that the server put into the page, JSON; null without one. */
  injected: string | null;
  /** The page's own address. */
  base: string;
  productName: string;
  /** Epoch milliseconds. */
  now: () => number;
}

/**
 * The page's reads and its single insert. Without a backend each throws 'Supabase is not configured. Please check your
 * .env file.' Stores the results in the browser for offline use.
 */
export function readsOf({ injected, base, productName, now }: ReadsOptions): Reads {
  const backend = readBackend(injected, builtInBackend, base);
  // Revalidates recent responses; if nothing changed, the server responds 304 without a body.
  const revalidate: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });
  const read = takeOver(globalThis.barometerReads, revalidate);
  // A new client for each call, so that the call throws the error of a missing backend.
  const client = (fetch = read) =>
    createTableClient({ ...(backend ?? { supabaseUrl: null, anonKey: null }), fetch });
  const store = browserStore(() => localStorage, backend?.supabaseUrl ?? '');
  const clock = () => marketClockAt(now());

  const closes = keptRead({
    store,
    name: 'closes',
    now,
    read: () => readCloses(client(), clock()),
    parse: parseStoredCloses,
  });
  const history = keptRead({
    store,
    name: 'timeline',
    now,
    read: () => readTimeline(sendThrough(client()), clock()),
    parse: parseStoredTimeline,
  });

  const components = keptRead({
    store,
    name: 'components',
    now,
    read: () => readComponents(sendThrough(client()), clock()),
    parse: parseStoredComponents,
  });

  function kept(): Loaded | null {
    const stored = store.read('rows', now());
    const rows = stored && parseStoredRows(stored.value);
    if (rows === null || stored === null) return null;
    const view = dashboardView(rows, now(), productName);
    return view.age === null ? null : { view, at: stored.at };
  }

  return {
    load: async () => {
      const { rows, view, at, isStale } = await timedRead(read, now, async (fetch) => {
        const began = clock();
        const rows = await fetchDashboard(client(fetch), began);
        return { rows, view: dashboardView(rows, began.now, productName) };
      });
      history.put(rows.fearGreed.timeline);
      closes.forget();
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
    loadCloses: closes.load,
    keepForLater: () => {
      registerServiceWorker(base);
      history.load().catch(() => {});
      closes.load().catch(() => {});
    },
    loadOrigins: async (createdAt) => readOrigins(sendThrough(client()), createdAt),
    subscribe: async (email, alerts) => subscribe(client(), email, alerts),
  };
}

/**
 * Registers the service worker, which serves the page offline. Only in a production build and if the browser supports
 * it; the page works without it.
 */
function registerServiceWorker(base: string): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL('service-worker.js', base)).catch(() => {});
}
