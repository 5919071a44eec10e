/** A piece of HTML for a mail. Its texts are escaped. */
export interface Markup {
  readonly markup: string;
}

type Piece = string | number | Markup | readonly Markup[] | null;

const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const CHARACTERS = new Map(Object.entries(ESCAPED).map(([character, entity]) => [entity, character]));

function toMarkup(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string')
    return piece.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character);
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('');
}

/** Markup from a template. Escapes texts for content and quoted attributes; null inserts nothing. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  // Removes the indentation that the template has in the source code.
  const parts = template.map((part) => part.replace(/\n\s*/g, '\n'));
  return { markup: parts.reduce((all, part, at) => `${all}${toMarkup(pieces[at - 1] ?? null)}${part}`) };
}

/** Returns the plain text of markup in one line. Only tags contain '<' and '>', because `html` escapes texts. */
export function plainOf({ markup }: Markup): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;|\s+/g, ' ')
    .replace(/&#?\w+;/g, (entity) => CHARACTERS.get(entity) ?? entity)
    .replace(/ +/g, ' ')
    .trim();
}
