import type { Transaction } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { createRowReader, fieldText } from '../csv/rows.ts';
import { DEMONSTRATIONS } from '../demonstration.ts';
import type { RowSet } from './row-set.ts';
import { type Cell, PUBLISHED_TABLES } from './tables.ts';

/**
 * Writes row sets, in ascending order, within one transaction; answers how many rows it wrote. What already
 * stands there with equal values is left alone, what differs is replaced as a whole, so that publishing twice
 * changes nothing.
 */
export async function publishRowSets(transaction: Transaction, rowSets: readonly RowSet[]): Promise<number> {
  const first = rowSets[0];
  const last = rowSets.at(-1);
  if (first === undefined || last === undefined) return 0;
  let written = 0;
  for (const { name, columns } of PUBLISHED_TABLES) {
    const list = [...columns, 'source'].join(', ');
    const standing = readStanding(
      await transaction.copyOut(
        `copy (select (extract(epoch from created_at) * 1000)::bigint, ${list} from public.${name}
         where created_at between '${iso(first.createdAt)}' and '${iso(last.createdAt)}' order by id)
         to stdout (format csv)`,
      ),
    );
    const replaced: string[] = [];
    const lines: string[] = [];
    for (const { createdAt, rows } of rowSets) {
      const wanted = rows.get(name) ?? [];
      const present = standing.get(createdAt) ?? [];
      if (sameRows(wanted, present)) continue;
      if (present.length > 0) replaced.push(iso(createdAt));
      for (const row of wanted) lines.push(`${row.map(asCopyText).join('\t')}\t${iso(createdAt)}\n`);
    }
    if (replaced.length > 0) {
      await transaction.query(`delete from public.${name} where created_at = any($1::timestamptz[])`, [
        `{${replaced.join(',')}}`,
      ]);
    }
    if (lines.length === 0) continue;
    await transaction.copyIn(
      `copy public.${name} (${list}, created_at) from stdin`,
      new TextEncoder().encode(lines.join('')),
    );
    written += lines.length;
  }
  return written;
}

/** Takes a demonstration's rows off the page once another source has rows to put there. */
export async function removeOtherDemonstrations(
  transaction: Transaction,
  source: MarketSource,
): Promise<void> {
  const others = DEMONSTRATIONS.filter((word) => word !== source);
  for (const { name } of PUBLISHED_TABLES) {
    await transaction.query(`delete from public.${name} where source = any($1::text[])`, [
      `{${others.join(',')}}`,
    ]);
  }
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
  return typeof cell === 'number' ? text !== '' && Number(text) === cell : text === cell.trim();
}

function asCopyText(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'number') return String(cell);
  return cell.replace(/[\\\t\n\r]/g, (character) => (character === '\\' ? '\\\\' : ' '));
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
