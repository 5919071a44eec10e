/** The built page, taken apart where data go. */
export interface Template {
  /** As it is without data, which it then reads for itself; its marks show where that begins and ends. */
  readonly whole: string;
  /** What of it stands before and after the data of a page that comes with them. */
  readonly around: readonly [before: string, after: string];
}

/** What only a page without data has. */
const STATIC_PART = /<!--static-->[\s\S]*?<!--\/static-->/g;
/** What stands in the place of the data. */
const PAGE_PART = /<!--page-->[\s\S]*?<!--\/page-->/;
const MARKS = /<!--\/?(?:static|page)-->/g;

const SCRIPT = /<script\b[^>]*\btype="module"[^>]*\bsrc="([^"]+)"[^>]*><\/script>/;

/**
 * The page's script once the page has been seen: whoever reads already loses nothing, and who waits for the page shares
 * neither line nor processor with a script five times its size. Out of sight nothing is painted, so nothing is waited
 * for; nor for longer than five seconds, where a browser does not tell.
 */
function afterFirstPaint(html: string): string {
  return html.replace(SCRIPT, (_script, source: string) => {
    const load = `if(s)return;s=document.createElement('script');s.type='module';s.src='${source}';document.body.append(s)`;
    const paint =
      "new PerformanceObserver((_,o)=>{o.disconnect();setTimeout(load)}).observe({type:'paint',buffered:true})";
    return `<script>{let s;const load=()=>{${load}};setTimeout(load,5e3);document.hidden?load():${paint}}</script>`;
  });
}

/** Takes the marks out. */
export const unmarked = (html: string) => html.replaceAll(MARKS, '');

/** Reads the built `index.html`. Throws when it lacks a mark, as one of an older build does. */
export function readTemplate(html: string): Template {
  const marks = [...html.matchAll(MARKS)].map(([mark]) => mark).join('');
  const isMarked = marks.replaceAll('<!--static--><!--/static-->', '') === '<!--page--><!--/page-->';
  const [before = '', after = ''] = html.replaceAll(STATIC_PART, '').split(PAGE_PART);
  if (!isMarked || !/<title>[^<]*<\/title>[\s\S]*<\/head>/i.test(before)) {
    throw new Error('The built page does not say where data go in it; build it again with npm run build.');
  }
  return { whole: html, around: [before, afterFirstPaint(after)] };
}
