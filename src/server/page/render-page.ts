import { headTags } from './head-tags.ts';
import { inAttribute, inText } from './markup.ts';

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

// Escaped so that no value can end the element or open a comment.
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** The built page under the name the deployment gives the product. */
function named(template: string, title: string): string {
  return template
    .replace(/<title>[^<]*<\/title>/i, () => `<title>${inText(title)}</title>`)
    .replace(
      /(<meta property="og:title" content=")[^"]*"/i,
      (_tag, start: string) => `${start}${inAttribute(title)}"`,
    );
}

/**
 * The page with its title, its own addresses and its configuration in the head. `template` is the built
 * `index.html`; `publicUrl` the address visitors reach it at, null where nobody said.
 */
export function renderPage(template: string, config: PageConfig, publicUrl: string | null): string {
  const title = `${config.productName} Dashboard`;
  const element = `<script type="application/json" id="barometer-config">${scriptJson(config)}</script>`;
  const page = named(template, title);
  const head = page.search(/<\/head>/i);
  if (head < 0) throw new Error('The built page has no </head>; build it again with npm run build.');
  return `${page.slice(0, head)}${headTags(title, publicUrl)}${element}${page.slice(head)}`;
}
