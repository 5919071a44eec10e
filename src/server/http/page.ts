/** What the page is told by the server that serves it. */
export interface PageConfig {
  /** Where `/rest/v1` is: `PUBLIC_URL`, or the address the server listens on. */
  readonly supabaseUrl: string;
  readonly anonKey: string;
  readonly productName: string;
}

// Escaped so that no value can end the element or open a comment.
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The page with its title and configuration in the head. `template` is the built `index.html`. */
export function renderPage(template: string, config: PageConfig): string {
  const title = `<title>${escapeText(config.productName)} Dashboard</title>`;
  const element = `<script type="application/json" id="barometer-config">${scriptJson(config)}</script>`;
  const titled = template.replace(/<title>[^<]*<\/title>/i, () => title);
  const head = titled.search(/<\/head>/i);
  if (head < 0) throw new Error('The built page has no </head>; build it again with npm run build.');
  return `${titled.slice(0, head)}${element}${titled.slice(head)}`;
}
