import { ISSUED_SIGNAL_COLUMNS } from '#schema/issued-signal.ts';
import { SIGNAL_GRADE_COLUMNS } from '#schema/signal-grade.ts';
import { VERDICT_CHANGE_COLUMNS } from '#schema/verdict-change.ts';
import type { JsonValue } from './canonical-json.ts';
import { type Entry, LedgerError, nameOfRow } from './entries.ts';

/** A public table whose rows are entries of the ledger. */
export interface ShownTable {
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[];
  /** The column that identifies a row. */
  readonly key: string;
  /** The field of the entry for a column that has another name there, because `kind` is the kind of the entry. */
  readonly renamed?: readonly [column: string, field: string];
  /** True if the table shows the row of an entry. By default it shows all. */
  readonly shows?: (fields: Entry['fields']) => boolean;
}

export const SHOWN_TABLES: readonly ShownTable[] = [
  { name: 'issued_signals', kind: 'signal', key: 'week', columns: ISSUED_SIGNAL_COLUMNS.split(',') },
  { name: 'signal_grades', kind: 'grade', key: 'id', columns: [...SIGNAL_GRADE_COLUMNS.split(','), 'rule'] },
  {
    name: 'publications',
    kind: 'publication',
    key: 'id',
    columns: [
      ...['id', 'created_at_batch', 'session', 'kind', 'published_at', 'source', 'origin', 'formula_version'],
      'sha256',
    ],
    renamed: ['kind', 'run'],
  },
  {
    name: 'quality_events',
    kind: 'event',
    key: 'id',
    columns: [
      ...['id', 'at', 'session', 'kind', 'input', 'provider', 'detail', 'before', 'after', 'event_key'],
    ],
    renamed: ['kind', 'event'],
  },
  {
    name: 'verdict_changes',
    kind: 'change',
    key: 'id',
    columns: VERDICT_CHANGE_COLUMNS.split(','),
    // The first verdict on record is not a change.
    shows: ({ from_verdict }) => from_verdict !== null,
  },
];

/** Throws LedgerError for a value that differs from the recorded one. `shownIn` names the table or file, and `row` the row. */
export function checkValue(
  shownIn: string,
  { row, field, shown, recorded }: { row: string; field: string; shown: unknown; recorded: unknown },
): void {
  if (shown === recorded) return;
  throw new LedgerError(
    `${shownIn}, ${row}: ${field} is shown as ${JSON.stringify(shown)}, but the ledger recorded ${JSON.stringify(recorded)}.`,
  );
}

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(?:Z|\+00:00)$/;

/** Returns an instant of a table in the form of the ledger, in UTC with microseconds; any other value unchanged. */
function asRecorded(value: unknown): unknown {
  const [, seconds, fraction = ''] = (typeof value === 'string' && INSTANT.exec(value)) || [];
  return seconds === undefined ? value : `${seconds}.${fraction.padEnd(6, '0')}Z`;
}

/** A row as the table API returns it. */
export type ShownRow = Readonly<Record<string, unknown>>;

/** Throws LedgerError unless the rows of a table are those of its entries, and no others. */
export function compareTable(
  { name, kind, columns, key, renamed, shows = () => true }: ShownTable,
  rows: readonly ShownRow[],
  entries: readonly Entry[],
): void {
  const fieldOf = (column: string) => (column === renamed?.[0] ? renamed[1] : column);
  const recorded = new Map<JsonValue | undefined, Entry>();
  for (const entry of entries)
    if (entry.kind === kind && shows(entry.fields)) recorded.set(entry.fields[key], entry);
  for (const row of rows) {
    const entry = recorded.get(row[key] as JsonValue);
    if (entry === undefined)
      throw new LedgerError(
        `${name} shows the row with the ${key} ${JSON.stringify(row[key])}, which is not in the ledger or is shown twice.`,
      );
    recorded.delete(row[key] as JsonValue);
    for (const column of columns)
      checkValue(name, {
        row: nameOfRow(kind, entry.fields),
        field: column,
        shown: asRecorded(row[column]) ?? null,
        recorded: entry.fields[fieldOf(column)] ?? null,
      });
  }
  const [left] = recorded.values();
  if (left !== undefined)
    throw new LedgerError(
      `${name} does not show ${nameOfRow(kind, left.fields)}, which is entry ${left.index} of the ledger.`,
    );
}
