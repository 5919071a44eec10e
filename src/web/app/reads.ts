import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient } from '#queries/client.ts';
import { readCloses } from '#queries/closes.ts';
import { readOrigins } from '#queries/origins.ts';
import { parseStoredCloses, parseStoredRows } from '#queries/stored-rows.ts';
import { subscribe } from '#queries/subscribe.ts';
import type { IndexClose } from '#views/closes.ts';
import { dashboardView } from '#views/dashboard.ts';
import { browserStore } from './browser-store.ts';
import type { PageConfiguration } from './configuration.ts';
import type { Dependencies, Loaded } from './dependencies.ts';
import { readPage } from './read-page.ts';
import { registerServiceWorker } from './register-service-worker.ts';
import { whenIdle } from './when-idle.ts';

export type Reads = Omit<Dependencies, 'now'>;

/**
 * The page's reads and its one insert against its backend; without one each throws 'Supabase is not
 * configured. Please check your .env file.' What is read is kept in the browser for when the network is gone.
 */
export function readsOf({ backend, productName }: PageConfiguration, now: () => number): Reads {
  // Made at each call, so that its error is one of the call.
  const client = () => createTableClient(backend ?? { supabaseUrl: null, anonKey: null });
  const store = browserStore(() => localStorage, backend?.supabaseUrl ?? '');
  let closes: Promise<readonly IndexClose[]> | null = null;

  function kept(): Loaded | null {
    const stored = store.read('rows', now());
    const rows = stored && parseStoredRows(stored.value);
    if (rows === null || stored === null) return null;
    const view = dashboardView(rows, now(), productName);
    return view.age === null ? null : { rows, view, at: stored.at };
  }

  async function readAndKeepCloses(): Promise<readonly IndexClose[]> {
    const read = await readCloses(client(), { now: now(), marketDay, startOfMarketDay });
    store.write('closes', { at: now(), value: read });
    return read;
  }

  async function loadCloses(): Promise<readonly IndexClose[]> {
    try {
      closes ??= readAndKeepCloses();
      return await closes;
    } catch (error) {
      closes = null;
      const earlier = parseStoredCloses(store.read('closes', now())?.value);
      if (earlier.length === 0) throw error;
      return earlier;
    }
  }

  return {
    load: async () => {
      const data = await readPage(client(), now(), productName);
      const at = now();
      whenIdle(() => {
        store.write('rows', { at, value: data.rows });
        registerServiceWorker();
        // Whoever needs them most cannot read them any more then.
        closes = null;
        loadCloses().catch(() => {});
      });
      return data;
    },
    kept: async () => kept(),
    loadCloses,
    loadOrigins: async (createdAt) => readOrigins(client(), createdAt),
    subscribe: async (email) => subscribe(client(), email),
  };
}
