/** The text of a page, with a space between elements. */
export function textOfPage(html: string): string {
  const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };
  return html
    .replace(/<head>[\s\S]*<\/head>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&#?\w+;/g, (entity) => new Map(Object.entries(entities)).get(entity) ?? entity)
    .replace(/\s+/g, ' ');
}
