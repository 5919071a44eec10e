import type { Database, Transaction } from '#database/port.ts';
import type { MarketHistory, SeriesName } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { isDemonstration } from '../demonstration.ts';
import { SourceError } from '../problems.ts';
import { emptyMatrix } from './bar-table.ts';
import { type Held, loadHeld, readHolding } from './held.ts';
import { barsOfMembers, compareBars, mergeHistories } from './merge.ts';
import { writeBars } from './write-bars.ts';

/** What is to be kept, and whose it is. */
export interface Keeping {
  /** Closed sessions only. */
  given: MarketHistory;
  source: MarketSource;
  /** The symbols whose market this is; what is held of others is not used. */
  isMember(symbol: string): boolean;
  /** Symbols whose bars replace all that is held of them. */
  isWhole(symbol: string): boolean;
  /** What is held of the last sessions, where it has been read already. */
  held?: Held | null;
}

/** All that is known of the market after keeping what was given. */
export interface Kept {
  /** What was held and what was given, up to the last session given or held. */
  history: MarketHistory;
  /** Whether all that was held is in what was given. */
  covers: boolean;
}

/**
 * Brings what the database holds up to `given`: new bars and values are added, changed ones replaced; none is
 * removed but those of whole symbols. Goes in bounded transactions, a symbol's bars always in one, so that
 * after a kill the next run does the rest. Throws SourceError when demonstration data would mix with a real
 * market's.
 */
export async function keepHistory(
  database: Database,
  { given, source, isMember, isWhole, held: known = null }: Keeping,
  report: (done: number, total: number) => void,
): Promise<Kept> {
  report(0, 0);
  const last = given.bars.sessions.at(-1) ?? '';
  const { ids, held } = await database.transaction(async (transaction) => {
    await takeHolding(transaction, source, given.universe);
    return {
      ids: await keepSymbols(transaction, given),
      held: known ?? (await loadHeld(transaction, given.universe, { first: null, last })),
    };
  });
  const stays = (symbol: string) => isMember(symbol) && !isWhole(symbol);
  const used = { ...held.history, bars: barsOfMembers(held.history.bars, stays) };
  const changes = compareBars(given.bars, used.bars);
  await writeBars(database, { bars: given.bars, ids, changes, first: held.first, isWhole }, report);
  await database.transaction((transaction) => keepSeries(transaction, given, held.history));
  return { history: mergeHistories(given, used, changes.covers), covers: changes.covers };
}

/** Keeps a part of the past: whole members, and values of series. */
export async function keepPart(database: Database, part: MarketHistory, source: MarketSource): Promise<void> {
  const { bars } = part;
  const ids = await database.transaction(async (transaction) => {
    await takeHolding(transaction, source, part.universe);
    await keepSeries(transaction, part, null);
    return bars.members.length === 0 ? new Map<string, number>() : keepSymbols(transaction, part);
  });
  const changes = compareBars(bars, emptyMatrix([], []));
  await writeBars(database, { bars, ids, changes, first: null, isWhole: () => true }, () => undefined);
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

/** Keeps the members' names; answers the ids of all symbols by symbol. */
async function keepSymbols(
  transaction: Transaction,
  { bars: { members } }: MarketHistory,
): Promise<ReadonlyMap<string, number>> {
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
  const rows = await transaction.query<{ id: number; symbol: string }>(
    'select id, symbol from collector.symbols',
  );
  return new Map(rows.map(({ id, symbol }) => [symbol, id]));
}

/** Adds and replaces values; without `held` all of them are written. */
async function keepSeries(
  transaction: Transaction,
  given: MarketHistory,
  held: MarketHistory | null,
): Promise<void> {
  const heldAt = new Map(held?.sessions.map((session, at) => [session, at]));
  const lines: string[] = [];
  for (const [name, column] of Object.entries(given.series) as [SeriesName, Float64Array][]) {
    const written: string[] = [];
    for (const [at, session] of given.sessions.entries()) {
      const value = column[at] as number;
      if (Number.isNaN(value) || held?.series[name]?.[heldAt.get(session) ?? -1] === value) continue;
      written.push(session);
      lines.push(`${name}\t${session}\t${value}\n`);
    }
    if (written.length === 0) continue;
    // Also where none seems to be held: a value of a session without bars is kept, but not on the axis.
    await transaction.query('delete from collector.series where name = $1 and session = any($2::date[])', [
      name,
      `{${written.join(',')}}`,
    ]);
  }
  if (lines.length === 0) return;
  await transaction.copyIn(
    'copy collector.series (name, session, value) from stdin',
    new TextEncoder().encode(lines.join('')),
  );
}
