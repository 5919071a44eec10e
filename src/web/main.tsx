import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { afterLoad } from './app/after-load.ts';
import { builtIn } from './app/built-in.ts';
import { readConfiguration } from './app/configuration.ts';
import type { Dependencies } from './app/dependencies.ts';
import { readPageData } from './app/page-data.ts';
import type { Reads } from './app/reads.ts';
import { pageTree } from './page.tsx';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

const configuration = readConfiguration(textOf('barometer-config'), builtIn, document.baseURI);
document.title = `${configuration.productName} Dashboard`;
// Only visitors who install the page need the manifest. As a link in the page it would be requested before the first
// paint.
document.head.append(
  Object.assign(document.createElement('link'), { rel: 'manifest', href: './manifest.webmanifest' }),
);

const now = () => Date.now();

let chunk: Promise<Reads> | null = null;

/**
 * The table client and the wording of the page are a separate chunk: a page with data needs them only to refresh. An
 * error without a message gets the page's text. The next call retries.
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

/** Stores the page and its folded parts for offline use. */
function keepForLater(): void {
  afterLoad(() => {
    registerServiceWorker();
    reads().then(
      (read) => read.keepForLater(),
      () => {},
    );
  });
}

const dependencies: Dependencies = {
  load: async () => {
    const loaded = await (await reads()).load();
    keepForLater();
    return loaded;
  },
  kept: () =>
    reads()
      .then((read) => read.kept())
      .catch(() => null),
  loadHistory: async () => (await reads()).loadHistory(),
  loadCloses: async () => (await reads()).loadCloses(),
  loadOrigins: async (createdAt) => (await reads()).loadOrigins(createdAt),
  subscribe: async (email) => (await reads()).subscribe(email),
  now,
};

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
const initial = readPageData(textOf('barometer-data'));
const tree = pageTree(configuration, initial, dependencies);
// The markup of a page without data has the name from the build, which a server may have changed.
if (initial === null) createRoot(root).render(tree);
else {
  // Hydrates in a separate task from running the script, so that the browser stays responsive for a visitor who already
  // reads.
  setTimeout(() => {
    startTransition(() => {
      hydrateRoot(root, tree);
    });
  });
  keepForLater();
}

// The build leaves it out unless VITE_ANALYTICS is set.
if (import.meta.env.PROD && import.meta.env.VITE_ANALYTICS === 'vercel') {
  import('./app/analytics.tsx').then(({ countPageView }) => countPageView()).catch(() => {});
}

/**
 * Registers the service worker, which serves the page offline. Only in a production build and if the browser supports
 * it; the page works without it.
 */
function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL('service-worker.js', document.baseURI)).catch(() => {});
}
