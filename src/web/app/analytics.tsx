import { Analytics } from '@vercel/analytics/react';
import { createRoot } from 'react-dom/client';

/** Counts a view of the page by its one route and its path, through the script of the host that serves it. */
export function countPageView(): void {
  // A root of its own outside the document: it draws nothing, and what befalls it does not reach the page.
  createRoot(document.createElement('div')).render(
    <Analytics
      route="/"
      path={location.pathname}
      mode="production"
      configString={import.meta.env.VITE_VERCEL_OBSERVABILITY_CLIENT_CONFIG}
    />,
  );
}
