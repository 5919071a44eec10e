/** Characters of the HTML entities in our mails. */
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

const LINK = /https?:\/\/\S+/g;
const WORD = /[+−]?\p{N}+(?:[.,]\p{N}+)*%?|[\p{L}\p{M}]+|—/gu;

/** The visible text of a mail's HTML, without tags and hidden parts. */
export function shownOf(html: string): string {
  return html
    .replace(/<head>[\s\S]*?<\/head>|<!--[\s\S]*?-->/g, '')
    .replace(/<div aria-hidden="true" style="display:none[^>]*>[\s\S]*?<\/div>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&([a-z]+|#39);/g, (_, name: string) => ENTITIES[name] ?? '�')
    .replace(/\s+/g, ' ');
}

/** Words and numbers in order, without links. A number includes its sign. */
export const wordsOf = (text: string): string[] => text.replace(LINK, ' ').match(WORD) ?? [];

/** Targets of the links in the HTML, in order. */
export function linksOf(html: string): string[] {
  return [...html.matchAll(/<a href="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
}

/** Links of a text part; each has its own line. */
export const linesOfLinks = (text: string): string[] =>
  text.split('\n').filter((line) => /^https?:/.test(line));
