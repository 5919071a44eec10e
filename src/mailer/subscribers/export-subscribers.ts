import { type Database, readOnce } from '#database/port.ts';
import { csvLine, FORMULA } from '#views/outputs/bulk-tables.ts';

/** Number of rows per read. Other requests can use the database between two reads. */
const PAGE = 1_000;

const COLUMNS = [
  'email',
  'is_active',
  'alerts',
  'created_at',
  'confirmed_at',
  'deactivated_at',
  'deactivated_because',
] as const;

type SubscriberRow = { id: number } & Record<(typeof COLUMNS)[number], string | boolean | null>;

/** A format of an export. `lineOf` returns null for a subscriber that the format cannot contain. */
interface Format {
  readonly header: string;
  lineOf(row: SubscriberRow): string | null;
}

/** `csv` is for people. listmonk gets no address like a formula: it would read the `'` before it as part of it. */
const FORMATS = {
  csv: { header: csvLine(COLUMNS), lineOf: (row) => csvLine(COLUMNS.map((name) => row[name])) },
  listmonk: {
    header: csvLine(['email', 'name', 'attributes', 'status', 'created_at']),
    lineOf({ email, created_at, confirmed_at }) {
      if (FORMULA.test(String(email))) return null;
      const consent = confirmed_at ?? created_at;
      return csvLine([email, '', JSON.stringify({ consent_date: consent }), 'enabled', consent]);
    },
  },
} as const satisfies Record<string, Format>;

export type ExportFormat = keyof typeof FORMATS;
export const EXPORT_FORMATS = Object.keys(FORMATS) as readonly ExportFormat[];

interface ExportOptions {
  /** Receives some lines. The export waits for its promise. */
  readonly write: (lines: string) => void | Promise<void>;
  readonly format?: ExportFormat;
  /** True to export only confirmed subscribers who get the mail; otherwise all are exported. */
  readonly isActiveOnly?: boolean;
}

/** SQL condition for the confirmed subscribers who get the mail. */
const IS_ACTIVE = 'is_active and confirmed_at is not null';

/**
 * Exports subscribers as CSV (RFC 4180), oldest first, in ISO times. Returns how many it wrote and how many the
 * format cannot contain. A cell that a spreadsheet would run starts with `'`.
 */
export async function exportSubscribers(
  database: Database,
  { write, format = 'csv', isActiveOnly = false }: ExportOptions,
): Promise<{ written: number; leftOut: number }> {
  const { header, lineOf }: Format = FORMATS[format];
  await write(header);
  const counts = { written: 0, leftOut: 0 };
  let last = 0;
  for (;;) {
    const rows = await readOnce<SubscriberRow>(
      database,
      `select id, ${COLUMNS.join(', ')} from public.email_subscribers
       where id > $1::bigint ${isActiveOnly ? `and ${IS_ACTIVE}` : ''} order by id limit ${PAGE}`,
      [last],
    );
    const lines = rows.map(lineOf).filter((text) => text !== null);
    if (lines.length > 0) await write(lines.join(''));
    counts.written += lines.length;
    counts.leftOut += rows.length - lines.length;
    last = rows.at(-1)?.id ?? last;
    if (rows.length < PAGE) return counts;
  }
}
