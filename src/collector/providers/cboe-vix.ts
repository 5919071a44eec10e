import { createRowReader, type Fields, fieldText } from '../csv/rows.ts';
import { SourceError } from '../problems.ts';
import { PROVIDER_LABELS } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { SeriesRequest } from './provider.ts';
import { ProviderError, type ProviderFailure } from './provider-error.ts';

const FILE = 'VIX_History.csv';
const COLUMNS = ['DATE', 'HIGH', 'LOW', 'CLOSE'] as const;
type Column = (typeof COLUMNS)[number];

/** The VIX closes of the range. Throws ProviderError if the header is unknown or no row follows. */
export async function readVixHistory(
  base: string,
  request: SeriesRequest,
): Promise<ReadonlyMap<string, number>> {
  const url = new URL(`${base}/api/global/us_indices/daily_prices/${FILE}`);
  const { text } = await request.http.get({ provider: 'cboe', url });
  const values = createSeriesValues('vix_close', request, { label: PROVIDER_LABELS.cboe, of: FILE });
  let at: Record<Column, number> | null = null;
  let rows = 0;
  const reader = createRowReader(FILE, (bytes, fields, line) => {
    if (at === null) {
      at = headerIn(bytes, fields);
      return;
    }
    rows += 1;
    const columns = at;
    const cell = (column: Column) => fieldText(bytes, fields, columns[column]);
    if (fields.count <= Math.max(...Object.values(columns)))
      return request.problems.refuse('columns', { file: FILE, line }, 'the line is truncated');
    const day = dayIn(cell('DATE'));
    if (Number(cell('HIGH')) < Number(cell('LOW')) && day >= request.from && day <= request.to) {
      const place = { provider: PROVIDER_LABELS.cboe, of: FILE, session: day };
      return request.problems.refuse('high below low', place, 'the high is below the low');
    }
    values.offer(day, cell('CLOSE'));
  });
  const complete = isTruncated(text) ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
  if (complete !== text)
    request.problems.note('provider', `Cboe's ${FILE} is truncated; its last line is ignored.`);
  try {
    reader.feed(Buffer.from(complete));
    reader.end();
  } catch (error) {
    if (error instanceof SourceError) throw failure('unreadable', 'has an unknown format');
    throw error;
  }
  if (at === null || rows === 0) throw failure('empty', 'has no rows');
  return values.accepted;
}

function headerIn(bytes: Uint8Array, fields: Fields): Record<Column, number> {
  const found = Array.from({ length: Math.max(0, Math.min(fields.count, 16)) }, (_, index) =>
    fieldText(bytes, fields, index).toUpperCase(),
  );
  const [DATE, HIGH, LOW, CLOSE] = COLUMNS.map((column) => found.indexOf(column)) as [
    number,
    number,
    number,
    number,
  ];
  if (Math.min(DATE, HIGH, LOW, CLOSE) < 0) throw failure('unreadable', 'has an unknown header');
  return { DATE, HIGH, LOW, CLOSE };
}

/** True if the last number of the last line has fewer decimals than the first: it may be truncated. */
function isTruncated(text: string): boolean {
  const cells = text.slice(text.lastIndexOf('\n') + 1).split(',');
  const decimals = (cell = '') => cell.length - (cell.indexOf('.') + 1 || cell.length);
  return cells.length > 1 && decimals(cells[1]) !== decimals(cells.at(-1));
}

/** Converts `MM/DD/YYYY` to `YYYY-MM-DD`; returns any other text unchanged. */
function dayIn(text: string): string {
  return text.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, '$3-$1-$2');
}

function failure(kind: ProviderFailure, what: string): ProviderError {
  return new ProviderError('cboe', kind, `Cboe's ${FILE} ${what}; see docs/operations.md.`);
}
