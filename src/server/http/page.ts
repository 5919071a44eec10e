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

/** The page with its configuration in the head. `template` is the built `index.html`. */
export function renderPage(template: string, config: PageConfig): string {
  const element = `<script type="application/json" id="barometer-config">${scriptJson(config)}</script>`;
  const head = template.search(/<\/head>/i);
  if (head < 0) throw new Error('The built page has no </head>; build it again with npm run build.');
  return `${template.slice(0, head)}${element}${template.slice(head)}`;
}
