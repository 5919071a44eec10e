import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { fileHeaders } from '../http/client-files.ts';
import { compressedResource, type Headers, type Resource } from '../http/resource.ts';
import { inlineScriptSources, inlineStyleSources, pageHeaders } from '../http/security-headers.ts';
import { type PageConfig, servedPage } from './render-page.ts';
import type { Template } from './template.ts';

export interface PageRenderer {
  render(data: Loaded): Promise<Resource>;
  /** Returns the page without data, which reads for itself and is kept by no cache. */
  shell(): Promise<Resource>;
}

interface PageRendererOptions {
  readonly template: Template;
  readonly config: PageConfig;
  /** The address visitors reach the page at; null if not configured. */
  readonly publicUrl: string | null;
}

/** The settings that the browser reads from the configuration, so that it renders the same markup. */
function settingsOf(config: PageConfig) {
  const builtIn = { widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS };
  const { productName, widgetSymbols, asksToConfirm } = readConfiguration(
    JSON.stringify(config),
    builtIn,
    config.supabaseUrl,
  );
  return { productName, widgetSymbols, asksToConfirm };
}

/** Renders the built page of one server. */
export function createPageRenderer({ template, config, publicUrl }: PageRendererOptions): PageRenderer {
  const served = servedPage(template, config, publicUrl);
  const settings = settingsOf(config);
  const connectSources = publicUrl === null ? [] : [new URL(publicUrl).origin];
  /** The headers of a page, which allow exactly the scripts and styles in its HTML. */
  const headersOf = (html: string): Headers => ({
    ...fileHeaders('/index.html'),
    ...pageHeaders({
      connectSources,
      scriptSources: inlineScriptSources(html),
      styleSources: inlineStyleSources(html),
    }),
  });
  const headers = headersOf(served.around);
  let shell: Promise<Resource> | null = null;

  return {
    render: (data) => compressedResource(served.withData(pageMarkup(settings, data), data), headers),
    shell() {
      shell ??= compressedResource(served.shell, { ...headersOf(served.shell), 'Cache-Control': 'no-store' });
      return shell;
    },
  };
}
