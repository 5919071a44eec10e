import type { Database, Transaction } from '#database/port.ts';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { isDemonstration } from '../demonstration.ts';
import { SourceError } from '../problems.ts';
import { COPY_BARS_IN, createBarWriter } from './bar-copy.ts';
import { type Held, loadHeld, readHolding } from './held.ts';
import { compareBars, mergeHistories } from './merge.ts';

/** Bars of one transaction: a kill loses at most these, and what is in stays in. */
const BARS_A_TRANSACTION = 100_000;

/** What keeping a history did, and all that is known of the market after it. */
export interface Kept {
  /** What was held and what was given, up to the last session given. */
  history: MarketHistory;
  barsAdded: number;
  barsChanged: number;
  /** Whether all that was held is in what was given. */
  covers: boolean;
}

/**
 * Brings what the database holds up to the closed sessions of `given`: new bars and values are added, changed
 * ones replaced, none removed. Goes in bounded transactions, each whole: after a kill the next run does the
 * rest. Throws SourceError when demonstration data would mix with a real market's.
 */
export async function keepHistory(
  database: Database,
  given: MarketHistory,
  { source, members }: { source: MarketSource; members: readonly Member[] },
  report: (done: number, total: number) => void,
): Promise<Kept> {
  report(0, 0);
  const universe = new Set(members.map(({ symbol }) => symbol));
  const last = given.bars.sessions.at(-1) ?? '';
  const held = await database.transaction(async (transaction) => {
    await takeHolding(transaction, source, given.universe);
    await keepSymbols(transaction, given);
    return loadHeld(transaction, given.universe, (symbol) => universe.has(symbol), last);
  });
  const changes = compareBars(given.bars, held.history.bars);
  const total = changes.added.length + changes.changed.length;
  let done = 0;
  for (const [cells, replaces] of [
    [changes.added, false],
    [changes.changed, true],
  ] as const) {
    for (let from = 0; from < cells.length; from += BARS_A_TRANSACTION) {
      report(done, total);
      const part = cells.slice(from, from + BARS_A_TRANSACTION);
      await database.transaction((transaction) => writeBars(transaction, given, held, part, replaces));
      done += part.length;
    }
  }
  report(done, total);
  await database.transaction((transaction) => keepSeries(transaction, given, held.history));
  return {
    history: mergeHistories(given, held.history, changes.covers),
    barsAdded: changes.added.length,
    barsChanged: changes.changed.length,
    covers: changes.covers,
  };
}

/** Makes this source the holder of the history, and lets go of a demonstration's that was there before. */
async function takeHolding(transaction: Transaction, source: MarketSource, universe: string): Promise<void> {
  const holding = await readHolding(transaction);
  if (holding !== null && holding.source !== source) {
    if (!isDemonstration(holding.source) && isDemonstration(source)) {
      throw new SourceError(
        `The database holds a real market (${holding.source}); give demonstration data a BAROMETER_DATA_DIR of its own.`,
      );
    }
    if (isDemonstration(holding.source)) {
      await transaction.query('delete from collector.bars');
      await transaction.query('delete from collector.series');
      await transaction.query('delete from collector.symbols');
    }
  }
  await transaction.query(
    `insert into collector.holding (source, universe) values ($1, $2)
     on conflict (only_one) do update set source = excluded.source, universe = excluded.universe`,
    [source, universe],
  );
}

async function keepSymbols(transaction: Transaction, { bars: { members } }: MarketHistory): Promise<void> {
  await transaction.query(
    `insert into collector.symbols (symbol, name, sector)
     select symbol, name, sector from json_to_recordset($1::json) as member (symbol text, name text, sector text)
     where not exists (
       select from collector.symbols held
       where held.symbol = member.symbol and held.name = member.name and held.sector = member.sector
     )
     order by symbol
     on conflict (symbol) do update set name = excluded.name, sector = excluded.sector`,
    [JSON.stringify(members)],
  );
}

async function writeBars(
  transaction: Transaction,
  { bars }: MarketHistory,
  { ids }: Held,
  cells: readonly number[],
  replaces: boolean,
): Promise<void> {
  const writer = createBarWriter(cells.length);
  const width = bars.sessions.length;
  const idOf = bars.members.map(({ symbol }) => ids.get(symbol) as number);
  const days = bars.sessions.map(parseDay);
  const replaced = new Map<number, string[]>();
  for (const cell of cells) {
    const id = idOf[Math.floor(cell / width)] as number;
    const day = days[cell % width] as number;
    writer.add(
      id,
      day,
      bars.open[cell] as number,
      bars.high[cell] as number,
      bars.low[cell] as number,
      bars.close[cell] as number,
      bars.volume[cell] as number,
    );
    if (!replaces) continue;
    const sessions = replaced.get(id);
    if (sessions === undefined) replaced.set(id, [formatDay(day)]);
    else sessions.push(formatDay(day));
  }
  for (const [id, sessions] of replaced) {
    await transaction.query('delete from collector.bars where symbol_id = $1 and session = any($2::date[])', [
      id,
      `{${sessions.join(',')}}`,
    ]);
  }
  await transaction.copyIn(COPY_BARS_IN, writer.take());
}

async function keepSeries(
  transaction: Transaction,
  given: MarketHistory,
  held: MarketHistory,
): Promise<void> {
  const heldAt = new Map(held.sessions.map((session, at) => [session, at]));
  const lines: string[] = [];
  for (const [name, column] of Object.entries(given.series) as [SeriesName, Float64Array][]) {
    const changed: string[] = [];
    for (const [at, session] of given.sessions.entries()) {
      const value = column[at] as number;
      if (Number.isNaN(value)) continue;
      const before = held.series[name]?.[heldAt.get(session) ?? -1] ?? Number.NaN;
      if (before === value) continue;
      if (!Number.isNaN(before)) changed.push(session);
      lines.push(`${name}\t${session}\t${value}\n`);
    }
    if (changed.length === 0) continue;
    await transaction.query('delete from collector.series where name = $1 and session = any($2::date[])', [
      name,
      `{${changed.join(',')}}`,
    ]);
  }
  if (lines.length === 0) return;
  await transaction.copyIn(
    'copy collector.series (name, session, value) from stdin',
    new TextEncoder().encode(lines.join('')),
  );
}
