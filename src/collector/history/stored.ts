import type { Transaction } from '#database/port.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type MarketHistory, SERIES } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { copyBarsOut, decodeBars } from './bar-copy.ts';
import { createBarTable } from './bar-table.ts';
import { assembleHistory, type SeriesTable, valuesOf } from './merge.ts';

/**
 * Number of symbols per read: 2 MB of bars for five years. Reading all bars at once would need four times their size in
 * the process that has the database open, which never releases that memory.
 */
const SYMBOLS_A_READ = 20;

const COPY_SERIES_OUT = `copy (select name, session - date '1970-01-01', value from collector.series) to stdout`;

/** The stored market data up to a session. */
export interface StoredHistory {
  history: MarketHistory;
  /** The first session whose bars were read; null for all. */
  first: string | null;
}

/** The source of the stored history; null without one. */
export async function readStoredSource(
  transaction: Transaction,
): Promise<{ source: MarketSource; universe: string } | null> {
  const [row] = await transaction.query<{ source: MarketSource; universe: string }>(
    'select source, universe from collector.holding',
  );
  return row ?? null;
}

/** Reads the bars of the sessions from `first` (null for all) to `last`, and the series up to `last`. */
export async function loadStored(
  transaction: Transaction,
  universe: string,
  first: string | null,
  last: string,
): Promise<StoredHistory> {
  const members = await transaction.query<{ id: number; symbol: string; name: string; sector: string }>(
    'select id, symbol, name, sector from collector.symbols order by id',
  );
  const rowOf = new Map(members.map(({ id }, row) => [id, row]));
  const bars = createBarTable();
  for (let at = 0; at < members.length; at += SYMBOLS_A_READ) {
    const part = members.slice(at, at + SYMBOLS_A_READ);
    const ids = [part[0]?.id ?? 0, part.at(-1)?.id ?? 0] as const;
    decodeBars(await transaction.copyOut(copyBarsOut(ids, first)), bars, (id) => rowOf.get(id) ?? -1);
  }
  const lastDay = parseDay(last);
  const matrix = bars.toMatrix(
    members.map(({ symbol, name, sector }) => ({ symbol, name, sector })),
    lastDay,
  );
  const series = readSeriesCopy(await transaction.copyOut(COPY_SERIES_OUT), lastDay);
  return { history: assembleHistory(matrix, series, universe), first };
}

/**
 * Parses the series from Postgres's text format. Needs no unescaping, because Postgres writes names, days and numbers
 * unchanged.
 */
function readSeriesCopy(bytes: Uint8Array, lastDay: number): SeriesTable {
  const table: SeriesTable = new Map();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  for (const line of text.split('\n')) {
    const [series, day, value] = line.split('\t');
    const name = SERIES.find((each) => each === series);
    if (name === undefined || Number(day) > lastDay) continue;
    valuesOf(table, name).set(Number(day), Number(value));
  }
  return table;
}
