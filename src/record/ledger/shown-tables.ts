import { type Entry, LedgerError, nameOfRow } from './entries.ts';

/** A public table whose rows are entries of the ledger. A field of the entry has the name of its column. */
export interface ShownTable {
  readonly name: string;
  readonly kind: string;
  /** The column that identifies a row. */
  readonly key: string;
  /** The field of the entry for a column that has another name there, because `kind` is the kind of the entry. */
  readonly renamed?: readonly [column: string, field: string];
  /** Columns that are not in the entry, and fields of the entry that are not in the table. */
  readonly unrecorded?: readonly string[];
  readonly unshown?: readonly string[];
  /** True if the table shows the row of an entry. By default it shows all. */
  readonly shows?: (fields: Entry['fields']) => boolean;
}

export const SHOWN_TABLES: readonly ShownTable[] = [
  {
    name: 'issued_signals',
    kind: 'signal',
    key: 'week',
    unrecorded: ['id', 'created_at'],
    unshown: ['weights', 'inputs'],
  },
  { name: 'signal_grades', kind: 'grade', key: 'id' },
  { name: 'publications', kind: 'publication', key: 'id', renamed: ['kind', 'run'] },
  { name: 'quality_events', kind: 'event', key: 'id', renamed: ['kind', 'event'] },
  {
    name: 'verdict_changes',
    kind: 'change',
    key: 'id',
    // The first verdict on record is not a change.
    shows: ({ from_verdict }) => from_verdict !== null,
  },
];

/** Returns the name of the field of an entry for a column of its table. */
export const fieldOf = ({ renamed }: ShownTable, column: string): string =>
  column === renamed?.[0] ? renamed[1] : column;

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

/** Throws LedgerError unless the rows of a table are those of its entries, with equal values, and no others. */
export function compareTable(table: ShownTable, rows: readonly ShownRow[], entries: readonly Entry[]): void {
  const { name, kind, key, unrecorded = [], unshown = [], shows = () => true } = table;
  const recorded = new Map<unknown, Entry>();
  for (const entry of entries)
    if (entry.kind === kind && shows(entry.fields)) recorded.set(entry.fields[key], entry);
  for (const row of rows) {
    const entry = recorded.get(row[key]);
    if (entry === undefined)
      throw new LedgerError(
        `${name} shows the row with the ${key} ${JSON.stringify(row[key])}, which is not in the ledger or is shown twice.`,
      );
    recorded.delete(row[key]);
    const columns = Object.keys(row).filter((column) => !unrecorded.includes(column));
    const values = new Map(columns.map((column) => [fieldOf(table, column), asRecorded(row[column])]));
    const fields = new Set([...values.keys(), ...Object.keys(entry.fields)]);
    for (const field of fields) {
      if (unshown.includes(field)) continue;
      const [shown, value] = [values.get(field), entry.fields[field]];
      checkValue(name, { row: nameOfRow(kind, entry.fields), field, shown, recorded: value });
    }
  }
  const [left] = recorded.values();
  if (left !== undefined)
    throw new LedgerError(
      `${name} does not show ${nameOfRow(kind, left.fields)}, which is entry ${left.index} of the ledger.`,
    );
}
