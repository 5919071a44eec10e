import type { Snapshot } from '#domain/snapshot.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { type Cell, PUBLISHED_TABLES } from './tables.ts';

/** Everything one run says of one session: rows of each market table, `source` the last cell of each. */
export interface RowSet {
  session: string;
  /** The instant it describes, epoch ms: the closing bell, or when an open session was observed. */
  createdAt: number;
  rows: ReadonlyMap<string, readonly Cell[][]>;
}

/** A value that is not finite stands for none. */
export function toRowSet(snapshot: Snapshot, source: MarketSource, createdAt: number): RowSet {
  const rows = new Map<string, Cell[][]>();
  for (const table of PUBLISHED_TABLES) {
    rows.set(
      table.name,
      table.rows(snapshot).map((cells) => [...cells.map(finiteOrNull), source]),
    );
  }
  return { session: snapshot.session, createdAt, rows };
}

function finiteOrNull(cell: Cell): Cell {
  return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
}
