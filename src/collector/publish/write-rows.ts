import type { Transaction } from '#database/port.ts';
import type { MarketTableName } from '#schema/tables.ts';
import { createRowReader, fieldText } from '../csv/rows.ts';
import { toInstants, toIso } from './instants.ts';
import type { RowSet } from './row-set.ts';
import { isNoise, onlyAdds } from './same-value.ts';
import { type Cell, PUBLISHED_TABLES } from './tables.ts';

/** What writing did. */
export interface Written {
  rowsWritten: number;
  /** The batches (epoch ms) of which rows were added or replaced. */
  changed: ReadonlySet<number>;
}

export interface WritingRules {
  /** What stands of an earlier batch (epoch ms) stays, unless the new row has all its values and more. */
  standsBefore: number;
  /** Told of the batches of a table whose rows are about to be replaced, and again when they have been. */
  onReplace?(table: MarketTableName, instants: readonly number[]): Promise<void>;
  onReplaced?(table: MarketTableName, instants: readonly number[]): Promise<void>;
}

/**
 * Writes row sets, in ascending order, within one transaction. What already stands there with equal values is
 * left alone, what differs is replaced as a whole, so that publishing twice changes nothing.
 */
export async function writeRowSets(
  transaction: Transaction,
  rowSets: readonly RowSet[],
  { standsBefore, onReplace, onReplaced }: WritingRules,
): Promise<Written> {
  const changed = new Set<number>();
  const first = rowSets[0];
  const last = rowSets.at(-1);
  if (first === undefined || last === undefined) return { rowsWritten: 0, changed };
  let rowsWritten = 0;
  for (const { name, columns } of PUBLISHED_TABLES) {
    const list = [...columns, 'source'].join(', ');
    const standing = readStanding(
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
      const present = standing.get(createdAt) ?? [];
      if (sameRows(wanted, present)) continue;
      if (present.length > 0) {
        if (createdAt < standsBefore && !onlyAdds(wanted, present)) continue;
        replaced.push(createdAt);
      }
      changed.add(createdAt);
      for (const row of wanted) lines.push(`${row.map(asCopyText).join('\t')}\t${toIso(createdAt)}\n`);
    }
    if (replaced.length > 0) {
      await onReplace?.(name, replaced);
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
    if (replaced.length > 0) await onReplaced?.(name, replaced);
  }
  return { rowsWritten, changed };
}

function readStanding(bytes: Uint8Array): Map<number, string[][]> {
  const standing = new Map<number, string[][]>();
  const reader = createRowReader('market rows', (row, fields) => {
    const [createdAt = '', ...cells] = Array.from({ length: fields.count }, (_, at) =>
      fieldText(row, fields, at),
    );
    const rows = standing.get(Number(createdAt));
    if (rows === undefined) standing.set(Number(createdAt), [cells]);
    else rows.push(cells);
  });
  reader.feed(bytes);
  reader.end();
  return standing;
}

function sameRows(wanted: readonly Cell[][], present: readonly string[][]): boolean {
  return (
    wanted.length === present.length &&
    wanted.every((row, at) => row.every((cell, column) => sameCell(cell, present[at]?.[column])))
  );
}

function sameCell(cell: Cell, text: string | undefined): boolean {
  if (cell === null) return text === '';
  if (typeof cell === 'boolean') return text === (cell ? 't' : 'f');
  return typeof cell === 'number'
    ? text !== '' && text !== undefined && isNoise(Number(text), cell)
    : text === cell.trim();
}

function asCopyText(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell !== 'string') return String(cell);
  return cell.replace(/[\\\t\n\r]/g, (character) => (character === '\\' ? '\\\\' : ' '));
}
