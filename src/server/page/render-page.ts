import type { Loaded } from '#web/app/dependencies.ts';
import { inAttribute, inText, scriptJson } from './escape.ts';
import { headTags } from './head-tags.ts';
import { type Template, unmarked } from './template.ts';

/** What the page is told by the server that serves it. */
export interface PageConfig {
  /** Where `/rest/v1` is: `PUBLIC_URL`, or the address the server listens on. */
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly productName: string;
  /** Symbols of the price chart as configured; null for those of the product. */
  readonly widgetSymbols?: string | null | undefined;
  /** Whether a subscriber is asked to confirm by mail. */
  readonly asksToConfirm?: boolean | undefined;
}

/** The built page as one server serves it. */
export interface ServedPage {
  /** Without data, which it then reads for itself. */
  readonly shell: string;
  /** What stands around the data, the same whatever they are. */
  readonly around: string;
  /** With data: their markup, and the data it was made of, which the page in the browser begins with. */
  withData(markup: string, data: Loaded): string;
}

/** A page under the name the deployment gives the product, with its own addresses in its head. */
function named(html: string, title: string, publicUrl: string | null): string {
  return html
    .replace(/<title>[^<]*<\/title>/i, () => `<title>${inText(title)}</title>`)
    .replace(
      /(<meta property="og:title" content=")[^"]*"/i,
      (_tag, start: string) => `${start}${inAttribute(title)}"`,
    )
    .replace(/<\/head>/i, (end) => headTags(publicUrl) + end);
}

const dataElement = (id: string, value: unknown) =>
  `<script type="application/json" id="${id}">${scriptJson(value)}</script>`;

/**
 * The built page as a server serves it under its configuration; `publicUrl` is the address visitors reach it at,
 * null where nobody said.
 */
export function servedPage(template: Template, config: PageConfig, publicUrl: string | null): ServedPage {
  const title = `${config.productName} Dashboard`;
  const told = dataElement('barometer-config', config);
  const before = named(template.around[0], title, publicUrl);
  const after = told + template.around[1];
  return {
    // What reads early is the first of what only this one has, and needs to be told where.
    shell: unmarked(
      named(template.whole, title, publicUrl).replace(/<!--static-->|<\/head>/i, (mark) => told + mark),
    ),
    around: before + after,
    withData: (markup, data) =>
      `${before}<div id="root">${markup}</div>${dataElement('barometer-data', data)}${after}`,
  };
}
