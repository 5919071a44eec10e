import type { Transaction } from '#database/port.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type MarketHistory, SERIES } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { assembleHistory, type SeriesTable, valuesOf } from './assemble.ts';
import { copyBarsOut, readBarCopy } from './bar-copy.ts';
import { createBarTable } from './bar-table.ts';

/**
 * Bars come back in pieces, 2 MB for five years: all at once would be in the memory of the process that has the
 * database open four times over, which it then keeps.
 */
const SYMBOLS_A_PIECE = 20;

const COPY_SERIES_OUT = `copy (select name, session - date '1970-01-01', value from collector.series) to stdout`;

/** What the database holds of a market up to a session. */
export interface Held {
  history: MarketHistory;
  /** The first session whose bars were looked at; null when all were. */
  first: string | null;
}

/** Which source's history the database holds; null when it holds none. */
export async function readHolding(
  transaction: Transaction,
): Promise<{ source: MarketSource; universe: string } | null> {
  const [row] = await transaction.query<{ source: MarketSource; universe: string }>(
    'select source, universe from collector.holding',
  );
  return row ?? null;
}

/** Reads back what is held: bars of the sessions from `first` to `last`, and the series up to `last`. */
export async function loadHeld(
  transaction: Transaction,
  universe: string,
  { first, last }: { first: string | null; last: string },
): Promise<Held> {
  const symbols = await transaction.query<{ id: number; symbol: string; name: string; sector: string }>(
    'select id, symbol, name, sector from collector.symbols order by id',
  );
  const memberOf = new Map(symbols.map(({ id }, index) => [id, index]));
  const members = symbols.map(({ symbol, name, sector }) => ({ symbol, name, sector }));
  const bars = createBarTable();
  for (let at = 0; at < symbols.length; at += SYMBOLS_A_PIECE) {
    const piece = symbols.slice(at, at + SYMBOLS_A_PIECE);
    const ids = [piece[0]?.id ?? 0, piece.at(-1)?.id ?? 0] as const;
    readBarCopy(await transaction.copyOut(copyBarsOut(ids, first)), bars, (id) => memberOf.get(id) ?? -1);
  }
  const lastDay = parseDay(last);
  const matrix = bars.toMatrix(members, lastDay, () => undefined);
  const series = readSeriesCopy(await transaction.copyOut(COPY_SERIES_OUT), lastDay);
  return { history: assembleHistory(matrix, series, universe), first };
}

/** Names, days and numbers of Postgres's own making, in which nothing is quoted or escaped. */
function readSeriesCopy(bytes: Uint8Array, lastDay: number): SeriesTable {
  const table: SeriesTable = new Map();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  for (const line of text.split('\n')) {
    const [word, day, value] = line.split('\t');
    const name = SERIES.find((each) => each === word);
    if (name === undefined || Number(day) > lastDay) continue;
    valuesOf(table, name).set(Number(day), Number(value));
  }
  return table;
}
