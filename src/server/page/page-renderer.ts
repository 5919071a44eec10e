import type { GapCount } from '#views/quality-view.ts';
import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { fileHeaders } from '../http/client-files.ts';
import { compressedResource, type Headers, type Resource } from '../http/resource.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { type PageConfig, servedPage } from './served-page.ts';

export interface PageRenderer {
  /** Renders the page with its data. `gaps` counts the inputs that still have no value. */
  render(data: Loaded, gaps?: GapCount): Promise<Resource>;
  /** Returns the page without data. In the browser, the page then reads the data itself. Caches must not store it. */
  shell(): Promise<Resource>;
}

/**
 * Creates the renderer of the built page `html`. `publicUrl` is the address at which visitors reach the page; null if
 * it is not configured. Throws if the page was built by an older version.
 */
export function createPageRenderer(html: string, config: PageConfig, publicUrl: string | null): PageRenderer {
  const served = servedPage(html, config, publicUrl);
  // In the browser, the page reads the same settings from the configuration, so both render the same markup.
  const builtIn = { widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS };
  const settings = readConfiguration(JSON.stringify(config), builtIn);
  const connectOrigins = publicUrl === null ? [] : [publicUrl];
  const headersOf = (page: string): Headers => ({
    ...fileHeaders('/index.html'),
    ...pageHeaders(page, connectOrigins),
  });
  const headers = headersOf(served.around);
  let shell: Promise<Resource> | null = null;
  return {
    render: (data, gaps) =>
      compressedResource(served.withData(pageMarkup(settings, data), data, gaps), headers),
    shell() {
      shell ??= compressedResource(served.shell, { ...headersOf(served.shell), 'Cache-Control': 'no-store' });
      return shell;
    },
  };
}
