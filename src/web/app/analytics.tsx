import { Analytics } from '@vercel/analytics/react';
import { createRoot } from 'react-dom/client';

/** Counts a view of the page by its one route and its path, through the script of the host that serves it. */
export function countPageView(): void {
  // A separate root outside the document: it renders nothing, and its errors do not reach the page.
  createRoot(document.createElement('div')).render(
    <Analytics
      route="/"
      path={location.pathname}
      mode="production"
      configString={import.meta.env.VITE_VERCEL_OBSERVABILITY_CLIENT_CONFIG}
    />,
  );
}
