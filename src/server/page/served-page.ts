import { gapsText } from '#views/quality-view.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { CARD_PATH, CARD_SIZE } from './card/card.ts';
import { inAttribute, inText, scriptJson } from './escape.ts';

/** Settings that the page gets from its server. */
export interface PageConfig {
  /** The address of `/rest/v1`: `PUBLIC_URL`, or the address the server listens on. */
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly productName: string;
  /** Symbols of the price chart; null for the product's own. */
  readonly widgetSymbols?: string | null | undefined;
  /** True if subscribers confirm by mail. */
  readonly asksToConfirm?: boolean | undefined;
}

/** The built page as one server serves it. */
export interface ServedPage {
  /** The page without data, which reads them itself. */
  readonly shell: string;
  /** The page with data, without the data themselves. */
  readonly around: string;
  /**
   * Returns the page with data: their markup, and the data themselves, from which the browser hydrates it. `openGaps` is the
   * number of inputs without their value, which a line below the page states.
   */
  withData(markup: string, data: Loaded, openGaps?: number): string;
}

/** Parts of the page without data only. */
const STATIC_PART = /<!--static-->[\s\S]*?<!--\/static-->/g;
/** Placeholder of the data. */
const PAGE_PART = /<!--page-->[\s\S]*?<!--\/page-->/;
const MARKS = /<!--\/?(?:static|page)-->/g;

const SCRIPT = /<script\b[^>]*\btype="module"[^>]*\bsrc="([^"]+)"[^>]*><\/script>/;

/**
 * Loads the page's script after the first paint, so that the page shares neither network nor processor with a script five
 * times its size. Loads it at once in a hidden tab, where nothing is painted, and after five seconds if the browser reports
 * no paint.
 */
function afterFirstPaint(html: string): string {
  return html.replace(SCRIPT, (_script, source: string) => {
    const load = `if(s)return;s=document.createElement('script');s.type='module';s.src='${source}';document.body.append(s)`;
    const paint =
      "new PerformanceObserver((_,o)=>{o.disconnect();setTimeout(load)}).observe({type:'paint',buffered:true})";
    return `<script>{let s;const load=()=>{${load}};setTimeout(load,5e3);document.hidden?load():${paint}}</script>`;
  });
}

/**
 * The canonical address and the share image of the page; nothing without `publicUrl`, as a request's Host header can name
 * any site. Other sites cache these tags, so they hold no reading; the image shows its date.
 */
function addressTags(publicUrl: string | null): string {
  if (publicUrl === null) return '';
  const at = (path: string) => inAttribute(new URL(path, `${publicUrl}/`).href);
  return [
    `<link rel="canonical" href="${at('.')}">`,
    `<meta property="og:url" content="${at('.')}">`,
    `<meta property="og:image" content="${at(`.${CARD_PATH}`)}">`,
    `<meta property="og:image:width" content="${CARD_SIZE.width}">`,
    `<meta property="og:image:height" content="${CARD_SIZE.height}">`,
    `<meta property="og:image:alt" content="${inAttribute('Signal, score, Fear & Greed')}">`,
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}

/** The link to `/quality`. It is not part of the page's script, because each byte of the script slows the first visit. */
function qualityLine(openGaps: number | undefined): string {
  if (openGaps === undefined) return '';
  return `<nav><p class=small><a href=quality>${openGaps === 0 ? '○' : '●'} ${gapsText(openGaps)}</a></nav>`;
}

const dataElement = (id: string, value: unknown) =>
  `<script type="application/json" id="${id}">${scriptJson(value)}</script>`;

/**
 * Prepares the built `index.html` for one server. `publicUrl` is the address visitors reach it at; null if not configured.
 * Throws if the page lacks a mark, as an older build does.
 */
export function servedPage(html: string, config: PageConfig, publicUrl: string | null): ServedPage {
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
      .replace(/(<meta property="og:title" content=")[^"]*"/i, (_, tag) => `${tag}${inAttribute(title)}"`)
      .replace(/<\/head>/i, (tag) => addressTags(publicUrl) + tag);
  const configuration = dataElement('barometer-config', config);
  const before = withHead(start);
  const after = configuration + afterFirstPaint(end);
  return {
    // The script that reads early is the first static part and needs the configuration before it.
    shell: withHead(html)
      .replace(/<!--static-->|<\/head>/i, (mark) => configuration + mark)
      .replaceAll(MARKS, ''),
    around: before + after,
    withData: (markup, data, openGaps) =>
      `${before}<div id="root">${markup}</div>${qualityLine(openGaps)}${dataElement('barometer-data', data)}${after}`,
  };
}
