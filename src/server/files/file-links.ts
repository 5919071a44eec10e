/** The attributes of our pages that name an address. A `content` is an address only if it is absolute. */
const ADDRESS = /(\s(href|src|content)=)(?:"([^"]*)"|([^\s"'>]+))/g;
const FORM = /<form\b[\s\S]*?<\/form>/g;

/** True for a path that is a folder with an `index.html`: the path of a page. */
const isPagePath = (path: string) => !/\.\w+$/.test(path) && !/^\/(?:ledger|rest)\//.test(path);

/** Returns the path of the file for the path of a document, such as `record/index.html` for `/record`. */
export const fileOf = (path: string) =>
  (isPagePath(path) ? `${path.replace(/\/$/, '')}/index.html` : path).slice(1);

/** Returns the way from a page to another path: `../record/` from `/on/2026-11-20` is `../../record/`. */
function wayTo(page: string, path: string): string {
  const folders = fileOf(page).split('/').length - 1;
  const target = isPagePath(path) ? `${path.replace(/\/$/, '')}/`.slice(1) : path.slice(1);
  return '../'.repeat(folders) + target || './';
}

/** Returns a page with links that work from its folder and without its forms, and the paths that it links to. */
export function linkFiles(html: string, page: string, home: string): { html: string; paths: string[] } {
  const base = new URL(page.slice(1), home).href;
  const paths: string[] = [];
  const linked = html
    .replace(FORM, '')
    .replace(ADDRESS, (whole, start: string, attribute: string, quoted?: string, plain?: string) => {
      const address = quoted ?? plain ?? '';
      if (address.startsWith('#') || (attribute === 'content' && !address.startsWith(home))) return whole;
      const url = URL.canParse(address, base) ? new URL(address, base) : null;
      if (url === null || !url.href.startsWith(home)) return whole;
      const path = `/${url.href.slice(home.length).replace(/[?#].*$/, '')}`;
      paths.push(path);
      const to = address.startsWith(home) ? home + wayTo('/', path) : wayTo(page, path);
      return `${start}"${to}${url.hash}"`;
    });
  return { html: linked, paths };
}

/** Returns a page with its content security policy in its head, for hosts that send no headers. */
export function withPolicy(html: string, policy: string | undefined): string {
  if (policy === undefined) return html;
  // Browsers ignore this directive there, with a warning.
  const own = policy
    .replace(/;?frame-ancestors [^;]*/, '')
    .replace(/^;/, '')
    .replaceAll('"', '&quot;');
  return html.replace(
    /<head>/i,
    (head) => `${head}<meta http-equiv="Content-Security-Policy" content="${own}">`,
  );
}

export function leadTo(page: string, path: string): string {
  const to = wayTo(page, path);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0;url=${to}"></head><body><a href="${to}">Open the page</a></body></html>\n`;
}
