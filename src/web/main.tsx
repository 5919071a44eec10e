import './app/errors-without-stack.ts';
import { lazy, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { afterLoad } from './app/after-load.ts';
import { pageTree } from './app/app.tsx';
import { builtIn, readConfiguration } from './app/configuration.ts';
import type { Dependencies, Loaded } from './app/dependencies.ts';
import { restoreErrors } from './app/errors-without-stack.ts';
import type { Reads } from './app/reads.ts';

restoreErrors();

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

const injected = textOf('barometer-config');
const settings = readConfiguration(injected, builtIn);
const { productName } = settings;
// Only for visitors who install the page. A link in the page would request it before the first paint.
document.head.append(
  Object.assign(document.createElement('link'), { rel: 'manifest', href: './manifest.webmanifest' }),
);

import('./styles/later.css').catch(() => {});

const now = () => Date.now();

let chunk: Promise<Reads> | null = null;

/**
 * The table client and the wording of the page are a separate chunk: a page with data needs them only to refresh. An
 * error without a message gets the page's text. The next call retries.
 */
function reads(): Promise<Reads> {
  chunk ??= import('./app/reads.ts').then(
    ({ readsOf }) => readsOf({ injected, base: document.baseURI, productName, now }),
    () => {
      chunk = null;
      throw new Error();
    },
  );
  return chunk;
}

/** Calls a function of the reads, with their code. */
const later =
  <Name extends keyof Reads>(name: Name) =>
  async (...parameters: Parameters<Reads[Name]>): Promise<Awaited<ReturnType<Reads[Name]>>> =>
    // The type of a call by name is the union of all calls.
    ((await reads())[name] as (...all: unknown[]) => Promise<Awaited<ReturnType<Reads[Name]>>>)(
      ...parameters,
    );

/** Stores the page and the data of its folded parts for offline use. */
const keepForLater = () => afterLoad(() => later('keepForLater')().catch(() => {}));

const dependencies: Dependencies = {
  load: async () => {
    const loaded = await later('load')();
    keepForLater();
    return loaded;
  },
  kept: () => later('kept')().catch(() => null),
  loadHistory: later('loadHistory'),
  loadComponents: later('loadComponents'),
  loadFigure: later('loadFigure'),
  loadCloses: later('loadCloses'),
  loadStocks: later('loadStocks'),
  loadOrigins: later('loadOrigins'),
  subscribe: later('subscribe'),
  Gauge: lazy(async () => ({ default: (await import('./panels/fear-greed/gauge.tsx')).Gauge })),
  AdvancedContent: lazy(async () => ({
    default: (await import('./panels/advanced/advanced-content.tsx')).AdvancedContent,
  })),
  now,
};

// It is in index.html.
const root = document.getElementById('root') as HTMLElement;
/** The data that the server wrote, which named this script too, so both are of one build. Null if a lost connection cut them off. */
function dataInPage(): Loaded | null {
  try {
    return JSON.parse(textOf('barometer-data') ?? 'null');
  } catch {
    return null;
  }
}

const initial = dataInPage();
const tree = pageTree(settings, initial, dependencies);
// The markup of a page without data has the name from the build, which a server may have changed.
if (initial === null) {
  document.title = `${productName} Dashboard`;
  createRoot(root).render(tree);
} else {
  // In a task of its own, so that the browser stays responsive for a visitor who already reads.
  setTimeout(() => {
    startTransition(() => {
      hydrateRoot(root, tree);
    });
  });
  keepForLater();
}

// The build includes this code only if VITE_ANALYTICS is set.
if (import.meta.env.PROD && import.meta.env.VITE_ANALYTICS === 'vercel') {
  import('./app/analytics.tsx').then(({ countPageView }) => countPageView()).catch(() => {});
}
