import { renderToString } from 'react-dom/server';
import { pageTree } from './app/app.tsx';
import { builtIn, type PageSettings, readConfiguration } from './app/configuration.ts';
import type { Dependencies, Loaded } from './app/dependencies.ts';
import { AdvancedContent } from './panels/advanced/advanced-content.tsx';
import { Gauge } from './panels/fear-greed/gauge.tsx';

const never = () => Promise.reject(new Error('Rendering the markup must not send requests.'));

/** Dependencies for the markup. Only effects use them, and markup runs no effects. */
const NO_WORLD: Dependencies = {
  load: never,
  kept: never,
  loadHistory: never,
  loadComponents: never,
  loadFigure: never,
  loadCloses: never,
  loadStocks: never,
  loadOrigins: never,
  subscribe: never,
  AdvancedContent,
  Gauge,
  now: () => 0,
};

/** The markup of the page, equal to the first rendering of `main.tsx` with these settings and data; null while it loads. */
export function pageMarkup(settings: PageSettings, initial: Loaded | null): string {
  return renderToString(pageTree(settings, initial, NO_WORLD));
}

/** The markup of the loading page, which the build puts into the page for other hosts. */
export function shellMarkup(): string {
  return pageMarkup(readConfiguration(null, builtIn), null);
}
