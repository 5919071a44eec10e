import { type ReactElement, StrictMode } from 'react';
import { App } from './app/app.tsx';
import type { Dependencies, Loaded } from './app/dependencies.ts';

/** Settings of a deployment's page. */
export interface PageSettings {
  productName: string;
  /** The configured symbols of the price chart; null for the defaults. */
  widgetSymbols: string | null;
  /** True if a new subscriber has to confirm by mail. */
  asksToConfirm: boolean;
}

/** The React tree of the page. The server and the hydrating browser must render the same tree. */
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
