import {
  PROVIDER_LABELS,
  ProviderError,
  type ProviderFailure,
  type ProviderName,
  type SeriesRequest,
} from './provider.ts';

/** A CSV file of a provider. Cells may be quoted; none contains a comma. */
interface CsvFile {
  readonly provider: ProviderName;
  readonly url: URL;
  /** For messages: 'VIX_History.csv'. */
  readonly name: string;
  /** The needed columns of the header, whose case does not matter. */
  readonly columns: readonly string[];
}

/** The needed cells of each row. Ignores a last line that ends within a number. Throws without header or rows. */
export async function fetchCsv(
  { provider, url, name, columns }: CsvFile,
  { http, problems }: SeriesRequest,
): Promise<(readonly string[])[]> {
  const { text } = await http.get({ provider, url });
  const label = PROVIDER_LABELS[provider];
  const fail = (kind: ProviderFailure, what: string) =>
    new ProviderError(provider, kind, `${label}'s ${name} ${what}; see docs/live-data.md.`);
  const [header = '', ...rows] = text.split(/\r?\n/).filter((line) => line !== '');
  const names = cellsOf(header.toUpperCase());
  const places = columns.map((column) => names.indexOf(column.toUpperCase()));
  if (rows.length === 0) throw fail('empty', 'has no rows');
  if (places.includes(-1)) throw fail('unreadable', 'has an unknown header');
  const needed = Math.max(...places) + 1;
  const last = cellsOf(rows.at(-1) ?? '');
  // The last line may end within its last needed number if it has no line break.
  const mayBeCut = last.length < names.length || decimalsOf(last[1]) !== decimalsOf(last.at(-1));
  if (!text.endsWith('\n') && last.length === needed && mayBeCut) {
    problems.note('provider', `${label}'s ${name} is truncated. Its last line is ignored.`);
    rows.pop();
  }
  return rows.flatMap((row, at) => {
    const cells = cellsOf(row);
    if (cells.length >= needed) return [places.map((place) => cells[place] ?? '')];
    problems.refuse('columns', { file: name, line: at + 2 }, 'the line is truncated');
    return [];
  });
}

const cellsOf = (line: string): string[] =>
  line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));

const decimalsOf = (cell = '') => cell.length - (cell.indexOf('.') + 1 || cell.length);

/** Converts `MM/DD/YYYY` to `YYYY-MM-DD`; returns any other text unchanged. */
export const isoDay = (text = ''): string => text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2');
