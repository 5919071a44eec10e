import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient } from '#queries/client.ts';
import { fetchDashboard } from '#queries/fetch-dashboard.ts';
import { subscribe } from '#queries/subscribe.ts';
import type { Backend } from './configuration.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * The page's reads and its one insert against a backend; without one each throws 'Supabase is not
 * configured. Please check your .env file.'
 */
export function readsOf(backend: Backend | null, now: () => number): Omit<Dependencies, 'now'> {
  // Made at each call, so that its error is one of the call.
  const client = () => createTableClient(backend ?? { supabaseUrl: null, anonKey: null });
  return {
    load: async () => fetchDashboard(client(), { now: now(), marketDay, startOfMarketDay }),
    subscribe: async (email) => subscribe(client(), email),
  };
}
