import { buffer, text } from 'node:stream/consumers';
import type { Database, Transaction } from '#database/port.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type MarketHistory, SERIES, type SeriesName } from '#domain/market-history.ts';
import { isDemonstration, type MarketSource } from '#schema/market-source.ts';
import {
  COPY_BARS_IN,
  copyBarsOut,
  createBarTable,
  decodeBars,
  emptyMatrix,
  encodeBars,
} from '../bar-table.ts';
import { SourceError } from '../problems.ts';
import {
  assembleHistory,
  type BarChanges,
  combineBars,
  compareBars,
  getOrAddValues,
  mergeHistories,
  type SeriesTable,
} from './merge.ts';
import type { SourceReading } from './source.ts';

/** Symbols per read: 2 MB of bars for five years. The process never releases the memory of a larger read. */
const SYMBOLS_A_READ = 20;

/** The source of the stored history; null without one. */
export async function readStoredSource(
  transaction: Transaction,
): Promise<{ source: MarketSource; universe: string } | null> {
  const [row] = await transaction.query<{ source: MarketSource; universe: string }>(
    'select source, universe from collector.holding',
  );
  return row ?? null;
}

/** Reads the bars from `first` (null for all) to `last`, and the series from `axisFrom` or an earlier first bar. */
export async function loadStored(
  transaction: Transaction,
  universe: string,
  {
    first,
    last,
    axisFrom = '0001-01-01',
  }: { first: string | null; last: string; axisFrom?: string | undefined },
) {
  const members = await transaction.query<{ id: number; symbol: string; name: string; sector: string }>(
    'select id, symbol, name, sector from collector.symbols order by id',
  );
  const rowOf = new Map(members.map(({ id }, row) => [id, row]));
  const bars = createBarTable();
  for (let at = 0; at < members.length; at += SYMBOLS_A_READ) {
    const part = members.slice(at, at + SYMBOLS_A_READ);
    const ids = [part[0]?.id ?? 0, part.at(-1)?.id ?? 0] as const;
    const copied = await buffer(transaction.copyOut(copyBarsOut(ids, first)));
    decodeBars(copied, bars, (id) => rowOf.get(id) ?? -1);
  }
  const lastDay = parseDay(last);
  const matrix = bars.toMatrix(
    members.map(({ symbol, name, sector }) => ({ symbol, name, sector })),
    lastDay,
  );
  const [seriesFrom] = [axisFrom, ...matrix.sessions.slice(0, 1)].sort();
  const copied = transaction.copyOut(
    `copy (select name, session - date '1970-01-01', value from collector.series
       where session >= '${seriesFrom}') to stdout`,
  );
  const series = readSeriesCopy(await text(copied), lastDay);
  return { history: assembleHistory(matrix, series, universe), first };
}
export type StoredHistory = Awaited<ReturnType<typeof loadStored>>;

/** Parses the series from Postgres's text format, without unescaping: names, days and numbers need none. */
function readSeriesCopy(copied: string, lastDay: number): SeriesTable {
  const table: SeriesTable = new Map();
  for (const line of copied.split('\n')) {
    const [series, day, value] = line.split('\t');
    const name = SERIES.find((each) => each === series);
    if (name === undefined || Number(day) > lastDay) continue;
    getOrAddValues(table, name).set(Number(day), Number(value));
  }
  return table;
}

/** Maximum number of bars per transaction. It limits the work that is lost if the process is killed. */
const BARS_A_TRANSACTION = 100_000;

/**
 * Stores the closed sessions of a reading and returns them with the stored data (`loaded`; null: not loaded yet).
 * Removes only bars of replaced symbols. Writes all bars of a symbol in one transaction, so that after a kill the
 * next run continues. Throws SourceError if demonstration data would mix with a real market.
 */
export async function storeHistory(
  database: Database,
  { history: read, members, replaced, observedAt }: SourceReading,
  {
    source,
    loaded,
    axisFrom,
  }: { source: MarketSource; loaded: StoredHistory | null; axisFrom: string | undefined },
  report: (done: number, total: number) => void,
): Promise<MarketHistory> {
  report(0, 0);
  const isOpen = observedAt !== null;
  const closed = isOpen ? read.sessions.slice(0, -1) : read.sessions;
  const replacedSymbols = new Set(replaced);
  const isReplaced = (symbol: string) => replacedSymbols.has(symbol);
  const { ids, stored } = await database.transaction(async (transaction) => {
    await setStoredSource(transaction, source, read.universe);
    return {
      ids: await storeSymbols(transaction, read),
      stored:
        loaded ??
        (await loadStored(transaction, read.universe, { first: null, last: closed.at(-1) ?? '', axisFrom })),
    };
  });
  const memberSymbols = new Set(members.map(({ symbol }) => symbol));
  const isUsed = (symbol: string) => memberSymbols.has(symbol) && !isReplaced(symbol);
  const { bars } = stored.history;
  const used = bars.members.every(({ symbol }) => isUsed(symbol)) ? bars : combineBars([bars], isUsed);
  const changes = compareBars(read.bars, used, {
    count: read.bars.sessions.length - (isOpen ? 1 : 0),
    storedFrom: stored.first ?? '',
  });
  await writeBars(database, read, changes, { ids, isReplaced, report });
  await database.transaction((transaction) => storeSeries(transaction, read, closed, stored.history));
  return mergeHistories(read, { ...stored.history, bars: used }, changes.covers);
}

/** Stores a part of a backfill: full histories of members, and values of series. */
export async function storeBackfillPart(
  database: Database,
  part: MarketHistory,
  source: MarketSource,
): Promise<void> {
  const ids = await database.transaction(async (transaction) => {
    await setStoredSource(transaction, source, part.universe);
    await storeSeries(transaction, part, part.sessions, null);
    return part.bars.members.length === 0 ? new Map<string, number>() : storeSymbols(transaction, part);
  });
  const changes = compareBars(part.bars, emptyMatrix([], []));
  await writeBars(database, part, changes, { ids, isReplaced: () => true, report: () => undefined });
}

/** Makes this source the owner of the stored history. Removes the history of a demonstration. */
async function setStoredSource(
  transaction: Transaction,
  source: MarketSource,
  universe: string,
): Promise<void> {
  const owner = await readStoredSource(transaction);
  if (owner !== null && owner.source !== source) {
    if (!isDemonstration(owner.source) && isDemonstration(source)) {
      throw new SourceError(
        `The database has data of a real market (${owner.source}). Set another BAROMETER_DATA_DIR for demonstration data.`,
      );
    }
    if (isDemonstration(owner.source)) {
      for (const table of ['bars', 'series', 'symbols'])
        await transaction.query(`delete from collector.${table}`);
    }
  }
  await transaction.query(
    `insert into collector.holding (source, universe) values ($1, $2)
     on conflict (only_one) do update set source = excluded.source, universe = excluded.universe`,
    [source, universe],
  );
}

/** Stores the members' names. Returns the ids of all stored symbols. */
async function storeSymbols(
  transaction: Transaction,
  { bars: { members } }: MarketHistory,
): Promise<ReadonlyMap<string, number>> {
  await transaction.query(
    `insert into collector.symbols (symbol, name, sector)
     select symbol, name, sector from json_to_recordset($1::json) as member (symbol text, name text, sector text)
     where not exists (
       select from collector.symbols stored
       where stored.symbol = member.symbol and stored.name = member.name and stored.sector = member.sector
     )
     order by symbol
     on conflict (symbol) do update set name = excluded.name, sector = excluded.sector`,
    [JSON.stringify(members)],
  );
  const rows = await transaction.query<{ id: number; symbol: string }>(
    'select id, symbol from collector.symbols',
  );
  return new Map(rows.map(({ id, symbol }) => [symbol, id]));
}

/** Writes the new and changed values of `sessions`; without `stored`, all values. */
async function storeSeries(
  transaction: Transaction,
  added: MarketHistory,
  sessions: readonly string[],
  stored: MarketHistory | null,
): Promise<void> {
  const storedAt = new Map(stored?.sessions.map((session, at) => [session, at]));
  const lines: string[] = [];
  for (const [name, column] of Object.entries(added.series) as [SeriesName, Float64Array][]) {
    const written = sessions.filter((session, at) => {
      const value = column[at] as number;
      if (Number.isNaN(value) || stored?.series[name]?.[storedAt.get(session) ?? -1] === value) return false;
      lines.push(`${name}\t${session}\t${value}\n`);
      return true;
    });
    if (written.length === 0) continue;
    // Deletes the rows of all values to be written, even of those not in `stored`: it lacks the stored values of
    // sessions without bars.
    await transaction.query('delete from collector.series where name = $1 and session = any($2::date[])', [
      ...[name, written],
    ]);
  }
  const copy = 'copy collector.series (name, session, value) from stdin';
  if (lines.length > 0) await transaction.copyIn(copy, Buffer.from(lines.join('')));
}

interface BarWriting {
  readonly ids: ReadonlyMap<string, number>;
  isReplaced(symbol: string): boolean;
  report(done: number, total: number): void;
}

async function writeBars(
  database: Database,
  { bars }: MarketHistory,
  { members }: BarChanges,
  { ids, isReplaced, report }: BarWriting,
): Promise<void> {
  const changed = members.filter(({ symbol, cells }) => cells.length > 0 || isReplaced(symbol));
  const total = changed.reduce((sum, { cells }) => sum + cells.length, 0);
  let done = 0;
  report(done, total);
  for (const part of partsOf(changed)) {
    const symbols = part.map((each) => ({ ...each, symbolId: ids.get(each.symbol) as number }));
    await database.transaction(async (transaction) => {
      for (const { symbol, symbolId, replaced } of symbols) {
        const deletion = 'delete from collector.bars where symbol_id = $1';
        if (isReplaced(symbol)) await transaction.query(deletion, [symbolId]);
        else if (replaced.length > 0)
          await transaction.query(`${deletion} and session = any($2::date[])`, [symbolId, replaced]);
      }
      await transaction.copyIn(COPY_BARS_IN, encodeBars(bars, symbols));
    });
    done += part.reduce((sum, { cells }) => sum + cells.length, 0);
    report(done, total);
  }
}

/** Parts of at most BARS_A_TRANSACTION bars, or of one member. */
function partsOf(members: BarChanges['members']) {
  const parts: BarChanges['members'][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const member of members) {
    length += member.cells.length;
    if (length > BARS_A_TRANSACTION) {
      parts.push([]);
      length = member.cells.length;
    }
    parts.at(-1)?.push(member);
  }
  return parts;
}
