import { GRADE_RULE } from '#domain/record/grade-weeks.ts';
import { parseIssuedSignal } from '#schema/issued-signal.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { parseSignalGrade } from '#schema/signal-grade.ts';
import { parseVerdictChange } from '#schema/verdict-change.ts';
import { signalsTable } from '#views/outputs/bulk-tables.ts';
import {
  type FeedEntry,
  gradeEntries,
  signalEntries,
  verdictChangeEntry,
} from '#views/outputs/feed-entries.ts';
import { type Entry, LedgerError } from './entries.ts';
import { checkValue } from './shown-tables.ts';

function rowsOf<Row>(entries: readonly Entry[], kind: string, parse: (value: unknown) => Row | null): Row[] {
  return entries.flatMap((entry) => {
    const row = entry.kind === kind ? parse(entry.fields) : null;
    return row === null ? [] : [row];
  });
}

/** Returns the rows of the record from the entries of the ledger, in the order of the table reads. */
function recordOf(entries: readonly Entry[]): RecordRows {
  const weeks = rowsOf(entries, 'signal', parseIssuedSignal);
  const graded = entries.filter(({ fields }) => fields.rule === GRADE_RULE);
  return {
    weeks: weeks.sort((a, b) => (a.week < b.week ? -1 : 1)),
    grades: rowsOf(graded, 'grade', parseSignalGrade).sort((a, b) => a.id - b.id),
  };
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g;

/** Splits CSV (RFC 4180) into its rows. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    if (end === '' && row.length === 0 && quoted === undefined && plain === '') break;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** A spreadsheet would run some texts as formulas, so the file shows them with a `'` before them. */
const withoutEscape = (shown: string, recorded: string) => (shown === `'${recorded}` ? recorded : shown);

/** Throws LedgerError unless `/signals.csv` has the weeks of the ledger with their newest grades, and no others. */
export function compareSignalsFile(text: string, entries: readonly Entry[]): void {
  const file = '/signals.csv';
  const [header = [], ...lines] = parseCsv(text);
  const { columns, rows } = signalsTable(recordOf(entries));
  if (header.join() !== columns.join())
    throw new LedgerError(`${file} has other columns than this version knows. Use the version of the site.`);
  for (const [at, cells] of rows.entries()) {
    const row = `week ${cells[0]}`;
    const line = lines[at];
    if (line === undefined) throw new LedgerError(`${file} does not show ${row}, which is in the ledger.`);
    for (const [place, cell] of cells.entries()) {
      const recorded = String(cell ?? '');
      const shown = withoutEscape(line[place] ?? '', recorded);
      checkValue(file, { row, field: columns[place] ?? '', shown, recorded });
    }
  }
  const more = lines[rows.length];
  if (more !== undefined)
    throw new LedgerError(`${file} shows the week ${more[0]}, which is not in the ledger.`);
}

/** An entry of a feed as a reader sees it. */
interface Item {
  /** ISO instant. */
  readonly at: string;
  /** The address of the entry's page. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

/** Parses the entries of our JSON Feed. Throws LedgerError for another file. */
export function parseJsonFeed(text: string): Item[] {
  try {
    const { items } = JSON.parse(text) as { items: Readonly<Record<string, unknown>>[] };
    return items.map(({ date_published, url, title, content_text }) => ({
      at: String(date_published),
      url: String(url),
      title: String(title),
      text: String(content_text),
    }));
  } catch (error) {
    throw new LedgerError('/feed.json is not a JSON Feed.', { cause: error });
  }
}

const fromXml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** Parses the entries of our Atom feed. */
export function parseAtom(text: string): Item[] {
  return [...text.matchAll(/<entry>(.*?)<\/entry>/gs)].map(([, entry = '']) => {
    const part = (pattern: RegExp) => fromXml(pattern.exec(entry)?.[1] ?? '');
    return {
      at: part(/<published>(.*?)</s),
      url: part(/<link rel="alternate"[^>]*href="([^"]*)"/),
      title: part(/<title>(.*?)</s),
      text: part(/<content type="text">(.*?)</s),
    };
  });
}

/** Returns the entries of the main feed: the weekly signals and the changes of the verdict. */
export function mainFeed(entries: readonly Entry[]): FeedEntry[] {
  const changes = rowsOf(entries, 'change', parseVerdictChange);
  return [...signalEntries(recordOf(entries)), ...changes.map(verdictChangeEntry)];
}

/** Returns the entries of the feed of the grades. */
export const gradesFeed = (entries: readonly Entry[]): FeedEntry[] => gradeEntries(recordOf(entries));

/**
 * Throws LedgerError unless each item of a feed is one of the `recorded` entries, and the feed has all of them that are
 * newer than its oldest item.
 */
export function compareFeed(feed: string, items: readonly Item[], recorded: readonly FeedEntry[]): void {
  const instantOf = ({ at }: Pick<Item, 'at'>) => Date.parse(at);
  const isAt = (item: Item, { path }: FeedEntry) => item.url.endsWith(`/${path}`);
  const isSame = (item: Item, entry: FeedEntry) =>
    isAt(item, entry) && instantOf(item) === instantOf(entry) && item.title === entry.title;
  for (const item of items) {
    const sameTime = recorded.filter((entry) => isAt(item, entry) && instantOf(item) === instantOf(entry));
    const same = sameTime.find(({ title }) => title === item.title) ?? sameTime[0];
    const row = `the entry "${item.title}"`;
    if (same === undefined)
      throw new LedgerError(`${feed} shows ${row} of ${item.at}, which is not in the ledger.`);
    checkValue(feed, { row, field: 'title', shown: item.title, recorded: same.title });
    checkValue(feed, { row, field: 'text', shown: item.text, recorded: same.text });
  }
  const oldest = Math.min(...items.map(instantOf));
  const left = recorded.find(
    (entry) => instantOf(entry) > oldest && !items.some((item) => isSame(item, entry)),
  );
  if (left !== undefined)
    throw new LedgerError(`${feed} does not show "${left.title}" of ${left.at}, which is in the ledger.`);
}
