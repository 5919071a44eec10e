import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { type Resource, toResource } from '../http/client-files.ts';
import { inlineScriptSources, inlineStyleSources, pageHeaders } from '../http/security-headers.ts';
import { type PageConfig, servedPage } from './render-page.ts';
import type { Template } from './template.ts';

/** A page ready to be sent, with the headers that allow exactly the scripts and styles written into it. */
export interface Page {
  readonly resource: Resource;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageRenderer {
  render(data: Loaded): Promise<Page>;
  /** Returns the page without data, which reads for itself. */
  shell(): Promise<Page>;
}

interface PageRendererOptions {
  readonly template: Template;
  readonly config: PageConfig;
  /** The address visitors reach the page at; null if not configured. */
  readonly publicUrl: string | null;
}

const PATH = '/index.html';
/** No cache may keep a page without current data. */
const NOT_KEPT = { cacheControl: 'no-store' } as const;

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
  const headersOf = (html: string) =>
    pageHeaders({
      connectSources,
      scriptSources: inlineScriptSources(html),
      styleSources: inlineStyleSources(html),
    });
  const headers = headersOf(served.around);
  let shell: Promise<Page> | null = null;

  return {
    async render(data) {
      const html = served.withData(pageMarkup(settings, data), data);
      const resource = await toResource(PATH, Buffer.from(html));
      return { resource: data.isStale === true ? { ...resource, ...NOT_KEPT } : resource, headers };
    },
    shell() {
      shell ??= toResource(PATH, Buffer.from(served.shell)).then((resource) => ({
        resource: { ...resource, ...NOT_KEPT },
        headers: headersOf(served.shell),
      }));
      return shell;
    },
  };
}
