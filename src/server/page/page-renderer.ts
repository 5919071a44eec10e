import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { fileHeaders } from '../http/client-files.ts';
import { compressedResource, type Headers, type Resource } from '../http/resource.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { type PageConfig, servedPage } from './served-page.ts';

export interface PageRenderer {
  /** `openGaps` is the number of inputs without their value. */
  render(data: Loaded, openGaps?: number): Promise<Resource>;
  /** Returns the page without data, which reads them itself. No cache may keep it. */
  shell(): Promise<Resource>;
}

/**
 * Creates the renderer of the built page `html`. `publicUrl` is the address visitors reach it at; null if not configured.
 * Throws if the page is of an older build.
 */
export function createPageRenderer(html: string, config: PageConfig, publicUrl: string | null): PageRenderer {
  const served = servedPage(html, config, publicUrl);
  // The browser reads the same settings from the configuration, so it renders the same markup.
  const builtIn = { widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS };
  const settings = readConfiguration(JSON.stringify(config), builtIn, config.supabaseUrl);
  const connectOrigins = publicUrl === null ? [] : [publicUrl];
  const headersOf = (page: string): Headers => ({
    ...fileHeaders('/index.html'),
    ...pageHeaders(page, connectOrigins),
  });
  const headers = headersOf(served.around);
  let shell: Promise<Resource> | null = null;
  return {
    render: (data, openGaps) =>
      compressedResource(served.withData(pageMarkup(settings, data), data, openGaps), headers),
    shell() {
      shell ??= compressedResource(served.shell, { ...headersOf(served.shell), 'Cache-Control': 'no-store' });
      return shell;
    },
  };
}
