export const COLUMNS = 72;

const lengthOf = (text: string) => [...text].length;

/** Splits a word that is longer than a line into pieces. */
function pieces(word: string, columns: number): string[] {
  const characters = [...word];
  const count = Math.max(1, Math.ceil(characters.length / columns));
  return Array.from({ length: count }, (_, at) =>
    characters.slice(at * columns, (at + 1) * columns).join(''),
  );
}

/** Wraps text into lines of at most `columns` characters. */
export function wrapped(text: string, columns: number = COLUMNS): string[] {
  const words = text.split(' ').flatMap((word) => pieces(word, columns));
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && lengthOf(line) + 1 + lengthOf(word) <= columns)
      lines.splice(-1, 1, `${line} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** Returns a heading with a line under it. */
export function underlined(title: string): string[] {
  const lines = wrapped(title);
  return [...lines, '-'.repeat(Math.max(...lines.map(lengthOf)))];
}

export interface PlainRow {
  /** Lines of the name. The numbers are in the last of these lines. */
  readonly name: readonly string[];
  readonly figures: readonly string[];
}

const BETWEEN = 2;

/** Returns a table whose numbers are aligned right. In place of a row, null is a horizontal line. */
export function plainTable(rows: readonly (PlainRow | null)[]): string[] {
  const all = rows.filter((row) => row !== null);
  const count = Math.max(0, ...all.map(({ figures }) => figures.length));
  const widths = Array.from(
    { length: count },
    (_, at) => BETWEEN + Math.max(...all.map(({ figures }) => lengthOf(figures[at] ?? ''))),
  );
  const room = COLUMNS - widths.reduce((sum, width) => sum + width, 0);
  const names = all.map(({ name }) => name.flatMap((line) => wrapped(line, room)));
  const first = Math.max(0, ...names.flat().map(lengthOf));
  const ruler = '-'.repeat(first + COLUMNS - room);
  let at = 0;
  return rows.flatMap((row) => {
    if (row === null) return [ruler];
    const lines = names[at++] ?? [];
    const figures = row.figures.map((figure, column) => figure.padStart(widths[column] ?? 0)).join('');
    const last = lines.at(-1) ?? '';
    return [...lines.slice(0, -1), `${last}${' '.repeat(first - lengthOf(last))}${figures}`.trimEnd()];
  });
}
