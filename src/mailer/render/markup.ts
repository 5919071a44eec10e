/** HTML that is ready to stand in a mail. */
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

function written(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? sign);
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('');
}

/** Markup of a template: every text put into it is escaped, for between tags and within quotes; null is nothing. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  // The indentation is for who reads the source.
  const parts = template.map((part) => part.replace(/\n\s*/g, '\n'));
  return { markup: parts.reduce((all, part, at) => `${all}${written(pieces[at - 1] ?? null)}${part}`) };
}
