import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { type Resource, toResource } from '../http/client-files.ts';
import { inlineScriptSources, inlineStyleSources, pageHeaders } from '../http/security-headers.ts';
import { failureFields, type Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { PageMetrics } from '../metrics/page-metrics.ts';
import { type LatestPage, latestPage } from './latest-page.ts';
import { createPageReader } from './page-reader.ts';
import { type PageConfig, servedPage } from './render-page.ts';
import type { SnapshotReads } from './snapshot-reads.ts';
import type { Template } from './template.ts';

/** A page ready to be sent, with the headers that let exactly what is written into it run. */
export interface PageAnswer {
  readonly resource: Resource;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds since the data of a stale page were last known to be current. */
  readonly age?: () => number;
}

interface PageServing {
  readonly template: Template;
  readonly config: PageConfig;
  /** The address visitors reach the page at; null where nobody said. */
  readonly publicUrl: string | null;
  readonly inSnapshot: SnapshotReads;
  readonly watch: MarketWatch;
  readonly metrics: PageMetrics;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** See `latestPage`. */
  readonly patienceMs?: number | undefined;
}

const PATH = '/index.html';
/** A page without data must not be what anybody comes back to. */
const NOT_KEPT = { cacheControl: 'no-store' } as const;

/** What the browser makes of the configuration, so that it finds the markup it would make itself. */
function settingsOf(config: PageConfig) {
  const builtIn = { widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS };
  const { productName, widgetSymbols, asksToConfirm } = readConfiguration(
    JSON.stringify(config),
    builtIn,
    config.supabaseUrl,
  );
  return { productName, widgetSymbols, asksToConfirm };
}

/** The page of the market as it is, from its first request on. */
export async function servePage(serving: PageServing): Promise<LatestPage<PageAnswer>> {
  const { config, publicUrl, inSnapshot, watch, metrics, now, log, patienceMs } = serving;
  const served = servedPage(serving.template, config, publicUrl);
  const settings = settingsOf(config);
  const connectSources = publicUrl === null ? [] : [new URL(publicUrl).origin];
  const headersOf = (html: string) =>
    pageHeaders({
      connectSources,
      scriptSources: inlineScriptSources(html),
      styleSources: inlineStyleSources(html),
    });
  const headers = headersOf(served.around);

  async function pageOf(data: Loaded): Promise<PageAnswer> {
    const html = served.withData(pageMarkup(settings, data), data);
    return { resource: await toResource(PATH, Buffer.from(html)), headers };
  }

  const read = createPageReader({ inSnapshot, productName: settings.productName, now });

  return latestPage({
    read: () =>
      read().catch((error: unknown) => {
        metrics.failed();
        throw error;
      }),
    async render(data) {
      const page = await pageOf(data);
      metrics.made(now() - data.at);
      return page;
    },
    async renderStale({ view }, at) {
      const age = () => Math.max(0, Math.floor((now() - at) / 1000));
      return { ...(await pageOf({ view, at, isStale: true })), age };
    },
    shell: {
      resource: { ...(await toResource(PATH, Buffer.from(served.shell))), ...NOT_KEPT },
      headers: headersOf(served.shell),
    },
    watch,
    now,
    patienceMs,
    onFailure: (error) =>
      log.error('page failed', failureFields(error instanceof Error ? (error.cause ?? error) : error)),
    onRecovery: () => log.info('page is current again'),
  });
}
