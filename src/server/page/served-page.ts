import { type GapCount, gapsText } from '#views/quality-view.ts';
import type { RightsView } from '#views/rights-view.ts';
import type { DemoView } from '#views/sources-view.ts';
import { readConfiguration } from '#web/app/configuration.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { fileHeaders } from '../http/page-files.ts';
import { compressedResource, type Headers, type Resource } from '../http/response.ts';
import { pageHeaders } from '../http/security-headers.ts';
import { CARD_PATH, CARD_SIZE } from './card/card.ts';
import { escapeAttribute, inText } from './escape.ts';

export interface PageConfig {
  /** The address that `/rest/v1` is below: `PUBLIC_URL`, or the address on which the server listens. */
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly productName: string;
  /** 'own' for a page without frames of the charting provider. */
  readonly widgets?: string | undefined;
  /** Symbols of the price chart; null for the default symbols. */
  readonly widgetSymbols?: string | null | undefined;
  /** True if subscribers must confirm their address by mail. */
  readonly doubleOptIn?: boolean | undefined;
  /** A sentence beside the age of the data. */
  readonly ageNote?: string | undefined;
  /** The file from which a page without a backend repeats its reads. */
  readonly reads?: string | undefined;
  /** The address at which visitors of such a page can subscribe; empty if there is none. */
  readonly subscribeAt?: string | undefined;
}

const STATIC_PART = /<!--static-->[\s\S]*?<!--\/static-->/g;
const PAGE_PART = /<!--page-->[\s\S]*?<!--\/page-->/;
const MARKS = /<!--\/?(?:static|page)-->/g;

const SCRIPT = /<script\b[^>]*\btype="module"[^>]*\bsrc="([^"]+)"[^>]*><\/script>/;

/** Loads the page's script, which is five times as large as the page, after the first paint; at once in a hidden tab. */
function afterFirstPaint(html: string): string {
  return html.replace(SCRIPT, (_script, source: string) => {
    const load = `if(s)return;s=document.createElement('script');s.type='module';s.src='${source}';document.body.append(s)`;
    const paint =
      "new PerformanceObserver((_,o)=>{o.disconnect();setTimeout(load)}).observe({type:'paint',buffered:true})";
    return `<script>{let s;const load=()=>{${load}};setTimeout(load,5e3);document.hidden?load():${paint}}</script>`;
  });
}

/**
 * Returns the tags for the canonical address and the share image. Without `publicUrl` there are none, because the Host
 * header of a request may name any site. Other sites cache these tags, so they contain no reading.
 */
function addressTags(publicUrl: string | null): string {
  if (publicUrl === null) return '';
  const at = (path: string) => escapeAttribute(new URL(path, `${publicUrl}/`).href);
  return [
    `<link rel="canonical" href="${at('.')}">`,
    `<meta property="og:url" content="${at('.')}">`,
    `<meta property="og:image" content="${at(`.${CARD_PATH}`)}">`,
    `<meta property="og:image:width" content="${CARD_SIZE.width}">`,
    `<meta property="og:image:height" content="${CARD_SIZE.height}">`,
    `<meta property="og:image:alt" content="${escapeAttribute('Signal, score, Fear & Greed')}">`,
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}

/** Announces the feeds. A static build has none. */
const FEED_LINKS = ['feed.atom', 'grades.atom']
  .map((path) => `<link rel="alternate" type="application/atom+xml" href="${path}">`)
  .join('');

/** The links to the other pages, outside the page's script, each byte of which slows the first visit. */
function pagesNav({ view }: Loaded, gaps: GapCount | undefined, rights: RightsView | null): string {
  const lastDay = view.fearGreed?.earlier.find(({ key }) => key === 'previousClose')?.session;
  const text = gaps === undefined ? '' : ` ${gaps.open === 0 ? '○' : '●'} ${gapsText(gaps)}`;
  const links = [
    ['record', 'Record'],
    [lastDay === undefined ? 'on' : `on/${lastDay}`, 'Past days'],
    ['quality', `Data quality${text}`],
    ['method', 'Method'],
    ['risk', 'Risk'],
    ...(rights === null ? [] : [['method#rights', 'What is shown, and when']]),
    ['openapi.json', 'Data'],
  ];
  return `<nav class=small aria-label=Pages>${links.map(([to, text]) => `<a href=${to}>${text}</a>`).join(' ')}</nav>`;
}

/** Encodes a value as JSON for a script element. No text in the value can end the element or begin a comment. */
function encodeScriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

const dataElement = (id: string, value: unknown) =>
  `<script type="application/json" id="${id}">${encodeScriptJson(value)}</script>`;

/** Adds to the titles of a page that its numbers are a demonstration: a shared link has the title only. */
function marked(part: string, demo: DemoView | null): string {
  const mark = demo === null ? '' : escapeAttribute(` – ${demo.text}`);
  return part
    .replace('</title>', () => `${mark}</title>`)
    .replace(/(<meta property="og:title" content="[^"]*)"/i, (_, tag) => `${tag}${mark}"`);
}

/** Prepares the built `index.html` for one server. Throws if it lacks a placeholder, as one of an older version. */
export function pageTemplate(
  html: string,
  config: PageConfig,
  publicUrl: string | null,
  rights: RightsView | null = null,
) {
  const marks = [...html.matchAll(MARKS)].map(([mark]) => mark).join('');
  const isMarked = marks.replaceAll('<!--static--><!--/static-->', '') === '<!--page--><!--/page-->';
  const [start = '', end = ''] = html.replaceAll(STATIC_PART, '').split(PAGE_PART);
  if (!isMarked || !/<title>[^<]*<\/title>[\s\S]*<\/head>/i.test(start)) {
    throw new Error('The built page has no place for its data. Build it again with npm run build.');
  }
  const title = `${config.productName} Dashboard`;
  const withHead = (part: string) =>
    part
      .replace(/<title>[^<]*<\/title>/i, () => `<title>${inText(title)}</title>`)
      .replace(/(<meta property="og:title" content=")[^"]*"/i, (_, tag) => `${tag}${escapeAttribute(title)}"`)
      .replace(/<\/head>/i, (tag) => FEED_LINKS + addressTags(publicUrl) + tag);
  const configuration = dataElement('barometer-config', config);
  const before = withHead(start);
  const after = configuration + afterFirstPaint(end);
  return {
    // The page without data. Its first static part begins with a script that reads the data early and needs the configuration.
    shell: withHead(html)
      .replace(/<!--static-->|<\/head>/i, (mark) => configuration + mark)
      .replaceAll(MARKS, ''),
    /** The HTML of the page that shows data, without the markup and the data. */
    around: before + after,
    // The data come first: in this order the page compresses to a hundred bytes less.
    withData: (markup: string, data: Loaded, gaps?: GapCount) =>
      `${marked(before, data.view.demo)}${dataElement('barometer-data', data)}<div id="root">${markup}</div>${pagesNav(data, gaps, rights)}${after}`,
  };
}

/** Creates the renderer of the built page `html`, with the parameters of `pageTemplate`. */
export function createPageRenderer(
  html: string,
  config: PageConfig,
  publicUrl: string | null,
  rights: RightsView | null = null,
) {
  const served = pageTemplate(html, config, publicUrl, rights);
  // In the browser, the page reads the same settings from the configuration, so both render the same markup.
  const builtIn = { widgetSymbols: import.meta.env.VITE_WIDGET_SYMBOLS };
  const settings = readConfiguration(JSON.stringify(config), builtIn);
  const isElsewhere = publicUrl !== null && URL.canParse(config.supabaseUrl);
  const connectOrigins = isElsewhere ? [config.supabaseUrl] : [];
  const headersOf = (page: string): Headers => ({
    ...fileHeaders('/index.html'),
    ...pageHeaders(page, connectOrigins, !settings.ownWidgets),
  });
  const headers = headersOf(served.around);
  let shell: Promise<Resource> | null = null;
  return {
    /** Renders the page with its data. `gaps` counts the inputs that still have no value. */
    render: (data: Loaded, gaps?: GapCount): Promise<Resource> =>
      compressedResource(served.withData(pageMarkup(settings, data), data, gaps), headers),
    /** Returns the page without data. In the browser, it then reads the data itself. Caches must not store it. */
    shell(): Promise<Resource> {
      shell ??= compressedResource(served.shell, { ...headersOf(served.shell), 'Cache-Control': 'no-store' });
      return shell;
    },
  };
}
