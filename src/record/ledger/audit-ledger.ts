import type { Transaction } from '#database/port.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Entry, LedgerError, misplacedEntries, nameOfRow, parseEntry } from './entries.ts';
import { ALL_ROWS, type EntryRow } from './entry-rows.ts';

const RESTORE = 'Compare the database with a backup from before the change.';

function differenceOf({ kind, content }: EntryRow, { index, fields }: Entry): string | null {
  const names = new Set([...Object.keys(fields), ...Object.keys(content)]);
  const textOf = (value: EntryRow['content'][string] | undefined) =>
    value === undefined ? 'nothing' : canonicalJson(value);
  for (const name of names) {
    const [stored, recorded] = [textOf(content[name]), textOf(fields[name])];
    if (stored !== recorded)
      return `${nameOfRow(kind, fields)} was changed: ${name} is ${stored}, but entry ${index} of the ledger recorded ${recorded}. ${RESTORE}`;
  }
  return null;
}

/**
 * Compares the record with the ledger at `now` (epoch ms): a sentence with a remedy per difference. Only an older
 * checkpoint shows a ledger written anew.
 */
export async function auditLedger(
  transaction: Transaction,
  now: number,
): Promise<{ faults: string[]; size: number }> {
  const stored = await transaction.query<{ index: number; kind: string; rowId: number; entry: string }>(
    'select index, kind, row_id as "rowId", entry from archive.ledger_entries order by index',
  );
  const rows = await transaction.query<EntryRow>(ALL_ROWS);
  const faults: string[] = [];
  const entries: Entry[] = [];
  const unmatched = new Map<string, Entry>();
  for (const { index, kind, rowId, entry } of stored) {
    try {
      const parsed = parseEntry(entry, index);
      entries.push(parsed);
      unmatched.set(`${kind} ${rowId}`, parsed);
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      faults.push(`${error.message} ${RESTORE}`);
    }
  }
  const gap = stored.findIndex(({ index }, at) => index !== at);
  if (gap >= 0) faults.push(`Entry ${gap} of the ledger was removed. ${RESTORE}`);
  for (const row of rows) {
    const key = `${row.kind} ${row.rowId}`;
    const entry = unmatched.get(key);
    const fault =
      entry === undefined
        ? `${nameOfRow(row.kind, row.content)} is not in the ledger: the row was inserted by hand, or its entry was removed. ${RESTORE}`
        : differenceOf(row, entry);
    if (fault !== null) faults.push(fault);
    unmatched.delete(key);
  }
  for (const { index, kind, fields } of unmatched.values())
    faults.push(`${nameOfRow(kind, fields)} was removed, but is entry ${index} of the ledger. ${RESTORE}`);
  faults.push(...misplacedEntries(entries, now).map((fault) => `${fault} ${RESTORE}`));
  return {
    faults: faults.map((fault) => fault.charAt(0).toUpperCase() + fault.slice(1)),
    size: stored.length,
  };
}
