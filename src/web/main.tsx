import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { readConfiguration } from './app/configuration.ts';
import type { Dependencies } from './app/dependencies.ts';
import type { Reads } from './app/reads.ts';

const configuration = readConfiguration(
  document.getElementById('barometer-config')?.textContent ?? null,
  {
    url: import.meta.env.VITE_SUPABASE_URL,
    anonKey: import.meta.env.VITE_SUPABASE_ANON_KEY,
    widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS,
    asksToConfirm: import.meta.env.VITE_SUBSCRIBE_CONFIRM,
  },
  document.baseURI,
);
const { productName, widgetSymbols, asksToConfirm } = configuration;
document.title = `${productName} Dashboard`;

const now = () => Date.now();

let chunk: Promise<Reads> | null = null;

/**
 * The table client and the wording of the page are a chunk of their own: a page that comes with its data needs
 * them only to refresh. An error without a message gets the page's words; the next call tries again.
 */
function reads(): Promise<Reads> {
  chunk ??= import('./app/reads.ts').then(
    ({ readsOf }) => readsOf(configuration, now),
    () => {
      chunk = null;
      throw new Error();
    },
  );
  return chunk;
}

const dependencies: Dependencies = {
  load: async () => (await reads()).load(),
  kept: () =>
    reads()
      .then((read) => read.kept())
      .catch(() => null),
  loadCloses: async () => (await reads()).loadCloses(),
  loadOrigins: async (createdAt) => (await reads()).loadOrigins(createdAt),
  subscribe: async (email) => (await reads()).subscribe(email),
  now,
};

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <App
      productName={productName}
      widgetSymbols={widgetSymbols}
      asksToConfirm={asksToConfirm}
      initial={null}
      dependencies={dependencies}
    />
  </StrictMode>,
);

// Left out of the build altogether unless the build was told to count.
if (import.meta.env.PROD && import.meta.env.VITE_ANALYTICS === 'vercel') {
  import('./app/analytics.tsx').then(({ countPageView }) => countPageView()).catch(() => {});
}
