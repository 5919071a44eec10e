/** The built page, split where data are inserted. */
export interface Template {
  /** The page without data, which reads them itself; with its marks. */
  readonly whole: string;
  /** The parts before and after the data of a rendered page. */
  readonly around: readonly [before: string, after: string];
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

/** Removes the marks. */
export const unmarked = (html: string) => html.replaceAll(MARKS, '');

/** Splits the built `index.html`. Throws if it lacks a mark, as an older build does. */
export function readTemplate(html: string): Template {
  const marks = [...html.matchAll(MARKS)].map(([mark]) => mark).join('');
  const isMarked = marks.replaceAll('<!--static--><!--/static-->', '') === '<!--page--><!--/page-->';
  const [before = '', after = ''] = html.replaceAll(STATIC_PART, '').split(PAGE_PART);
  if (!isMarked || !/<title>[^<]*<\/title>[\s\S]*<\/head>/i.test(before)) {
    throw new Error('The built page does not say where data go in it; build it again with npm run build.');
  }
  return { whole: html, around: [before, afterFirstPaint(after)] };
}
