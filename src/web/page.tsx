import { type ReactElement, StrictMode } from 'react';
import { App } from './app/app.tsx';
import type { Dependencies, Loaded } from './app/dependencies.ts';

/** Settings of a deployment's page. */
export interface PageSettings {
  productName: string;
  /** The symbols of the price chart as configured; null for those of the product. */
  widgetSymbols: string | null;
  /** True if a new subscriber has to confirm by mail. */
  asksToConfirm: boolean;
}

/** The whole page as a tree: one for the markup and for the browser that takes it over, which has to find the same. */
export function pageTree(
  settings: PageSettings,
  initial: Loaded | null,
  dependencies: Dependencies,
): ReactElement {
  return (
    <StrictMode>
      <App {...settings} initial={initial} dependencies={dependencies} />
    </StrictMode>
  );
}
