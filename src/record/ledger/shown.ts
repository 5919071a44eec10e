import { GRADE_RULE } from '#domain/record/grade-weeks.ts';
import { parseRow, type Row } from '#schema/columns.ts';
import { ISSUED_SIGNALS, type RecordRows, SIGNAL_GRADES, VERDICT_CHANGES } from '#schema/record-rows.ts';
import { signalsTable, toCsv } from '#views/outputs/bulk-tables.ts';
import {
  type FeedEntry,
  gradeEntries,
  signalEntries,
  verdictChangeEntry,
} from '#views/outputs/feed-entries.ts';
import { type Entry, LedgerError, nameOfRow } from './entries.ts';

/** A row, line or feed entry: as the site shows it, or as it follows from the ledger. */
interface Item {
  readonly key: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Throws LedgerError for the first item that only one side has, or that has another value. `place` names the table or file. */
function compareItems(place: string, shown: readonly Item[], recorded: readonly Item[]): void {
  const left = new Map(recorded.map((item) => [item.key, item]));
  for (const { key, name, fields } of shown) {
    const item = left.get(key);
    if (item === undefined)
      throw new LedgerError(`${place} shows ${name}, which is not in the ledger or is shown twice.`);
    left.delete(key);
    for (const field of new Set([...Object.keys(fields), ...Object.keys(item.fields)])) {
      const [is, was] = [fields[field], item.fields[field]];
      if (is === was) continue;
      throw new LedgerError(
        `${place}, ${item.name}: ${field} is shown as ${JSON.stringify(is)}, but the ledger recorded ${JSON.stringify(was)}.`,
      );
    }
  }
  const [missing] = left.values();
  if (missing !== undefined)
    throw new LedgerError(`${place} does not show ${missing.name}, which is in the ledger.`);
}

/** A public table whose rows are entries of the ledger. A field of the entry has the name of its column. */
export interface ShownTable {
  readonly name: string;
  readonly kind: string;
  readonly key: string;
  /** The field of the entry for a column that has another name there, because `kind` is the kind of the entry. */
  readonly renamed?: readonly [column: string, field: string];
  /** Columns that are not in the entry, and fields of the entry that are not in the table. */
  readonly unrecorded?: readonly string[];
  readonly unshown?: readonly string[];
  readonly shows?: (fields: Entry['fields']) => boolean;
}

export const SHOWN_TABLES: readonly ShownTable[] = [
  {
    ...{ name: 'issued_signals', kind: 'signal', key: 'week' },
    ...{ unrecorded: ['id', 'created_at'], unshown: ['weights', 'inputs'] },
  },
  { name: 'signal_grades', kind: 'grade', key: 'id' },
  { name: 'publications', kind: 'publication', key: 'id', renamed: ['kind', 'run'] },
  { name: 'quality_events', kind: 'event', key: 'id', renamed: ['kind', 'event'] },
  {
    ...{ name: 'verdict_changes', kind: 'change', key: 'id' },
    // The first verdict on record is not a change.
    shows: ({ from_verdict }) => from_verdict !== null,
  },
];

export const fieldOf = ({ renamed }: ShownTable, column: string): string =>
  column === renamed?.[0] ? renamed[1] : column;

const INSTANT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(?:Z|\+00:00)$/;

/** Returns an instant of a table in the form of the ledger, in UTC with microseconds; any other value unchanged. */
function toLedgerInstant(value: unknown): unknown {
  const [, seconds, fraction = ''] = (typeof value === 'string' && INSTANT.exec(value)) || [];
  return seconds === undefined ? value : `${seconds}.${fraction.padEnd(6, '0')}Z`;
}

export type ShownRow = Readonly<Record<string, unknown>>;

/** Throws LedgerError unless the rows of a table are those of its entries, with equal values, and no others. */
export function checkTable(table: ShownTable, rows: readonly ShownRow[], entries: readonly Entry[]): void {
  const { name, kind, key, unrecorded = [], unshown = [], shows = () => true } = table;
  const shown = rows.map((row) => ({
    key: String(row[key]),
    name: `the row with the ${key} ${JSON.stringify(row[key])}`,
    fields: Object.fromEntries(
      Object.entries(row).flatMap(([column, value]) =>
        unrecorded.includes(column) ? [] : [[fieldOf(table, column), toLedgerInstant(value)]],
      ),
    ),
  }));
  const own = entries.filter((entry) => entry.kind === kind && shows(entry.fields));
  const recorded = own.map(({ fields }) => ({
    key: String(fields[key]),
    name: nameOfRow(kind, fields),
    fields: Object.fromEntries(Object.entries(fields).filter(([field]) => !unshown.includes(field))),
  }));
  compareItems(name, shown, recorded);
}

function rowsOf<List extends string>(entries: readonly Entry[], kind: string, columns: List): Row<List>[] {
  return entries.flatMap((entry) => {
    const row = entry.kind === kind ? parseRow(columns, entry.fields) : null;
    return row === null ? [] : [row];
  });
}

function recordOf(entries: readonly Entry[]): RecordRows {
  const weeks = rowsOf(entries, 'signal', ISSUED_SIGNALS);
  const graded = entries.filter(({ fields }) => fields.rule === GRADE_RULE);
  return {
    weeks: weeks.sort((a, b) => (a.week < b.week ? -1 : 1)),
    grades: rowsOf(graded, 'grade', SIGNAL_GRADES).sort((a, b) => a.id - b.id),
  };
}

/** Throws LedgerError unless `/signals.csv` has the lines that follow from the ledger. */
export function compareSignalsFile(text: string, entries: readonly Entry[]): void {
  const linesOf = (csv: string) =>
    csv.split('\r\n').map((line) => {
      const [key = ''] = line.split(',', 1);
      return { key, name: `the line ${key}`, fields: { line } };
    });
  compareItems('/signals.csv', linesOf(text), linesOf(toCsv(signalsTable(recordOf(entries)))));
}

type FeedItem = Pick<FeedEntry, 'at' | 'path' | 'title' | 'text'>;

/** Returns the part of an address of an entry that is below the dashboard: 'record/2026-W47'. */
const pathOf = (url: string) => url.split('/').slice(-2).join('/');

export function parseJsonFeed(text: string): FeedItem[] {
  try {
    const { items } = JSON.parse(text) as { items: Readonly<Record<string, unknown>>[] };
    return items.map(({ date_published, url, title, content_text }) => ({
      ...{ at: String(date_published), path: pathOf(String(url)) },
      ...{ title: String(title), text: String(content_text) },
    }));
  } catch (error) {
    throw new LedgerError('/feed.json is not a JSON Feed.', { cause: error });
  }
}

const fromXml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

export function parseAtom(text: string): FeedItem[] {
  const [, ...parts] = text.split('<entry>');
  return parts.map((beginning) => {
    const [entry = ''] = beginning.split('</entry>', 1);
    const part = (pattern: RegExp) => fromXml(pattern.exec(entry)?.[1] ?? '');
    return {
      at: part(/<published>(.*?)</s),
      path: pathOf(part(/<link rel="alternate"[^<>]*href="([^"]*)"/)),
      title: part(/<title>(.*?)</s),
      text: part(/<content type="text">(.*?)</s),
    };
  });
}

/** Returns the entries of both feeds: the weekly signals with the changes of the verdict, and the grades. */
export function feedsOf(entries: readonly Entry[]): Readonly<Record<'/feed' | '/grades', FeedEntry[]>> {
  const changes = rowsOf(entries, 'change', VERDICT_CHANGES);
  const record = recordOf(entries);
  return {
    '/feed': [...signalEntries(record), ...changes.map(verdictChangeEntry)],
    '/grades': gradeEntries(record),
  };
}

/** Throws LedgerError unless the items are the newest `recorded` entries. Some with the time of the oldest item may be missing. */
export function compareFeed(feed: string, shown: readonly FeedItem[], recorded: readonly FeedItem[]): void {
  const itemOf = ({ at, path, title, text }: FeedItem) => {
    const instant = Date.parse(at);
    return { key: `${instant} ${path} ${title}`, name: `"${title}" of ${at}`, fields: { text }, instant };
  };
  const items = shown.map(itemOf);
  const keys = new Set(items.map(({ key }) => key));
  const oldest =
    items.length === 0
      ? Number.NEGATIVE_INFINITY
      : items.reduce((least, { instant }) => Math.min(least, instant), Number.POSITIVE_INFINITY);
  const expected = recorded.map(itemOf).filter(({ key, instant }) => instant > oldest || keys.has(key));
  compareItems(feed, items, expected);
}
