import type { Transaction } from '#database/port.ts';
import { createRowReader, fieldText } from '../csv/rows.ts';
import { toInstants, toIso } from '../instants.ts';
import type { Problems } from '../problems.ts';
import { readClosingRows, recordCorrections } from './corrections.ts';
import { onlyAdds, sameRows } from './same-value.ts';
import { type Cell, PUBLISHED_TABLES, type RowSet } from './tables.ts';

export interface WrittenRows {
  rowsWritten: number;
  /** The batches (epoch ms) with added or replaced rows. */
  changed: ReadonlySet<number>;
}

export interface WritingRules {
  /** Stored rows of earlier batches (epoch ms) are replaced only by rows that have all their values and more. */
  replacesFrom: number;
  /** If present, replaced closing rows are recorded as corrections. */
  corrections?: { now: number; problems: Problems } | undefined;
}

/**
 * Writes row sets, in ascending order, within one transaction. Leaves equal rows alone and replaces all rows of a batch
 * that differ, so that publishing twice changes nothing.
 */
export async function writeRowSets(
  transaction: Transaction,
  rowSets: readonly RowSet[],
  { replacesFrom, corrections }: WritingRules,
): Promise<WrittenRows> {
  const changed = new Set<number>();
  const first = rowSets[0];
  const last = rowSets.at(-1);
  if (first === undefined || last === undefined) return { rowsWritten: 0, changed };
  let rowsWritten = 0;
  for (const { name, columns } of PUBLISHED_TABLES) {
    const list = [...columns, 'source'].join(', ');
    const storedRows = parseRows(
      await transaction.copyOut(
        `copy (select (extract(epoch from created_at) * 1000)::bigint, ${list} from public.${name}
         where created_at between '${toIso(first.createdAt)}' and '${toIso(last.createdAt)}' order by id)
         to stdout (format csv)`,
      ),
    );
    const replaced: number[] = [];
    const lines: string[] = [];
    for (const { createdAt, rows } of rowSets) {
      const wanted = rows.get(name) ?? [];
      const stored = storedRows.get(createdAt) ?? [];
      if (sameRows(wanted, stored)) continue;
      if (stored.length > 0) {
        if (createdAt < replacesFrom && !onlyAdds(wanted, stored)) continue;
        replaced.push(createdAt);
      }
      changed.add(createdAt);
      for (const row of wanted) lines.push(`${row.map(asCopyText).join('\t')}\t${toIso(createdAt)}\n`);
    }
    const before = corrections && (await readClosingRows(transaction, name, replaced));
    if (replaced.length > 0) {
      await transaction.query(`delete from public.${name} where created_at = any($1::timestamptz[])`, [
        toInstants(replaced),
      ]);
    }
    if (lines.length > 0) {
      await transaction.copyIn(
        `copy public.${name} (${list}, created_at) from stdin`,
        new TextEncoder().encode(lines.join('')),
      );
      rowsWritten += lines.length;
    }
    if (before && corrections) await recordCorrections(transaction, name, before, corrections);
  }
  return { rowsWritten, changed };
}

/** The rows of CSV by their first column, a number. */
function parseRows(bytes: Uint8Array): Map<number, string[][]> {
  const parsed = new Map<number, string[][]>();
  const reader = createRowReader('market rows', (row, fields) => {
    const [createdAt = '', ...cells] = Array.from({ length: fields.count }, (_, at) =>
      fieldText(row, fields, at),
    );
    const rows = parsed.get(Number(createdAt));
    if (rows === undefined) parsed.set(Number(createdAt), [cells]);
    else rows.push(cells);
  });
  reader.feed(bytes);
  reader.end();
  return parsed;
}

function asCopyText(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell !== 'string') return String(cell);
  return cell.replace(/[\\\t\n\r]/g, (character) => (character === '\\' ? '\\\\' : ' '));
}
