import type { Database } from '#database/port.ts';

/** Rows per read, so that other requests can use the database in between. */
const PAGE = 1_000;

const COLUMNS = [
  'email',
  'is_active',
  'created_at',
  'confirmed_at',
  'deactivated_at',
  'deactivated_because',
] as const;

type SubscriberRow = { id: number } & Record<(typeof COLUMNS)[number], string | boolean | null>;

/** A cell that a spreadsheet runs as a formula. An address may begin with each of these characters. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Characters that CSV requires in quotes, and separators of some programs. */
const TO_QUOTE = /[",;\s]/;

function cell(value: string | boolean | null): string {
  const text = String(value ?? '');
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return TO_QUOTE.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

const line = (cells: readonly (string | boolean | null)[]) => `${cells.map(cell).join(',')}\r\n`;

async function pageAfter(database: Database, id: number): Promise<SubscriberRow[]> {
  return database.transaction(
    (transaction) =>
      transaction.query<SubscriberRow>(
        `select id, ${COLUMNS.join(', ')} from public.email_subscribers
         where id > $1::bigint order by id limit ${PAGE}`,
        [id],
      ),
    { readOnly: true },
  );
}

/**
 * Writes all subscribers as CSV (RFC 4180, UTF-8, with a header), oldest first, and returns their number. Times are ISO in
 * UTC. A cell that a spreadsheet would run as a formula starts with `'`. Awaits `write` for each line.
 */
export async function exportSubscribers(
  database: Database,
  write: (line: string) => void | Promise<void>,
): Promise<number> {
  await write(line(COLUMNS));
  let count = 0;
  let last = 0;
  for (;;) {
    const rows = await pageAfter(database, last);
    for (const row of rows) {
      await write(line(COLUMNS.map((name) => row[name])));
      last = row.id;
    }
    count += rows.length;
    if (rows.length < PAGE) return count;
  }
}
