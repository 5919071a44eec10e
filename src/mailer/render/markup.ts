/** HTML of a mail. */
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
const SIGNS = new Map(Object.entries(ESCAPED).map(([sign, entity]) => [entity, sign]));

function written(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? sign);
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('');
}

/** Markup of a template. Escapes every text put into it, for between tags and within quotes; null adds nothing. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  // The indentation only serves the source.
  const parts = template.map((part) => part.replace(/\n\s*/g, '\n'));
  return { markup: parts.reduce((all, part, at) => `${all}${written(pieces[at - 1] ?? null)}${part}`) };
}

/** The words of markup on one line. Only tags contain '<' and '>', since `html` escapes texts. */
export function plainOf({ markup }: Markup): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;|\s+/g, ' ')
    .replace(/&#?\w+;/g, (entity) => SIGNS.get(entity) ?? entity)
    .replace(/ +/g, ' ')
    .trim();
}
