import { randomBytes } from 'node:crypto';
import type { Transaction } from '#database/port.ts';
import { canonicalJson } from './canonical-json.ts';
import { type EntryRow, NEW_ROWS } from './entry-rows.ts';

/**
 * Appends the rows of the record that the ledger lacks, and returns their number. Call it in the transaction that writes
 * such a row. Writers wait for each other, so that no index is used twice.
 */
export async function appendEntries(transaction: Transaction): Promise<number> {
  await transaction.query('lock table archive.ledger_entries in share row exclusive mode');
  const rows = await transaction.query<EntryRow>(NEW_ROWS);
  if (rows.length === 0) return 0;
  await transaction.query(
    `insert into archive.ledger_key (seed) values (decode($1, 'hex')) on conflict do nothing`,
    [randomBytes(32).toString('hex')],
  );
  const entries = rows.map(({ kind, rowId, content }) => ({
    kind,
    row_id: rowId,
    entry: canonicalJson({ ...content, kind }),
  }));
  await transaction.query(
    `insert into archive.ledger_entries (index, kind, row_id, entry)
     select (select count(*) from archive.ledger_entries) + place - 1, kind, row_id, entry
     from rows from (json_to_recordset($1::json) as (kind text, row_id bigint, entry text))
       with ordinality as new (kind, row_id, entry, place)`,
    [JSON.stringify(entries)],
  );
  return entries.length;
}
