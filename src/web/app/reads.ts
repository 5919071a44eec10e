import { createTableClient } from '#queries/client.ts';
import { parseStoredRows } from '#queries/stored-rows.ts';
import { subscribe } from '#queries/subscribe.ts';
import { dashboardView } from '#views/dashboard.ts';
import { browserStore } from './browser-store.ts';
import type { Backend } from './configuration.ts';
import type { Dependencies, Loaded, Rows } from './dependencies.ts';
import { readPage } from './read-page.ts';
import { registerServiceWorker } from './register-service-worker.ts';
import { whenIdle } from './when-idle.ts';

export type Reads = Omit<Dependencies, 'now'>;

/**
 * The page's reads and its one insert against a backend; without one each throws 'Supabase is not
 * configured. Please check your .env file.' What is read is kept in the browser for when the network is gone.
 */
export function readsOf(backend: Backend | null, now: () => number): Reads {
  // Made at each call, so that its error is one of the call.
  const client = () => createTableClient(backend ?? { supabaseUrl: null, anonKey: null });
  const store = browserStore(() => localStorage, backend?.supabaseUrl ?? '');

  function keep(rows: Rows): void {
    const at = now();
    whenIdle(() => {
      store.write('rows', { at, value: rows });
      registerServiceWorker();
    });
  }

  function kept(): Loaded | null {
    const stored = store.read('rows', now());
    const rows = stored && parseStoredRows(stored.value);
    if (rows === null || stored === null) return null;
    const view = dashboardView(rows, now());
    return view.age === null ? null : { rows, view, at: stored.at };
  }

  return {
    load: async () => {
      const data = await readPage(client(), now());
      keep(data.rows);
      return data;
    },
    kept: async () => kept(),
    subscribe: async (email) => subscribe(client(), email),
  };
}
