import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { readConfiguration } from './app/configuration.ts';
import type { Dependencies } from './app/dependencies.ts';

const { backend, productName } = readConfiguration(
  document.getElementById('barometer-config')?.textContent ?? null,
  {
    url: import.meta.env.VITE_SUPABASE_URL,
    anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
  },
  document.baseURI,
);
document.title = `${productName} Dashboard`;

const now = () => Date.now();

// The table client is a chunk of its own: a page that comes with its data needs it only to refresh.
async function reads(otherwise: string) {
  try {
    const { readsOf } = await import('./app/reads.ts');
    return readsOf(backend, now);
  } catch {
    throw new Error(otherwise);
  }
}

const dependencies: Dependencies = {
  load: async () => (await reads('Failed to fetch data')).load(),
  subscribe: async (email) => (await reads('Failed to subscribe. Please try again.')).subscribe(email),
  now,
};

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <App productName={productName} initial={null} dependencies={dependencies} />
  </StrictMode>,
);
