import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient } from '#queries/client.ts';
import { fetchDashboard } from '#queries/fetch-dashboard.ts';
import { subscribe } from '#queries/subscribe.ts';
import { App } from './app/app.tsx';
import { readConfiguration } from './app/configuration.ts';
import type { Dependencies } from './app/dependencies.ts';

const { backend, productName } = readConfiguration(
  document.getElementById('barometer-config')?.textContent ?? null,
  import.meta.env,
  document.baseURI,
);
document.title = `${productName} Dashboard`;

const now = () => Date.now();
// Throws in words for the visitor when there is no backend, so it is made where errors are shown.
const client = () => createTableClient({ supabaseUrl: backend?.supabaseUrl, anonKey: backend?.anonKey });

const dependencies: Dependencies = {
  load: async () => fetchDashboard(client(), { now: now(), marketDay, startOfMarketDay }),
  subscribe: async (email) => subscribe(client(), email),
  now,
};

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <App productName={productName} initial={null} dependencies={dependencies} />
  </StrictMode>,
);
