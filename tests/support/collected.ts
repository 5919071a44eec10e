import { text } from 'node:stream/consumers';
import { PUBLISHED_TABLES } from '#collector/publish/row-sets.ts';
import type { Database } from '#database/port.ts';

/** Everything the collector wrote, as text: published rows with their origins, journal, bars and series. */
export function dumpCollected(database: Database, { ids = true }: { ids?: boolean } = {}): Promise<string> {
  const published = PUBLISHED_TABLES.map(({ name, columns }) => {
    const list = [...(ids ? ['id'] : []), 'created_at', ...columns, 'source'].join(', ');
    return `select ${list} from public.${name} order by created_at, ${columns[0]}`;
  });
  return database.transaction(async (transaction) => {
    const parts: string[] = [];
    for (const sql of [
      ...published,
      `select ${ids ? 'id, ' : ''}created_at, input, provider, session, observed_at, fetched_at
       from public.input_origins order by created_at, input`,
      `select ${ids ? 'id, ' : ''}created_at, symbol, name, sector, change_percent, weight, volume, source
       from public.market_stocks order by symbol`,
      `select created_at_batch, kind, published_at, source, origin, formula_version, rows, sha256
       from archive.publications order by created_at_batch, id`,
      `select symbol, session, open, high, low, close, volume
       from collector.bars join collector.symbols on id = symbol_id order by 1, 2`,
      'select * from collector.series order by name, session',
    ]) {
      parts.push(sql, await text(transaction.copyOut(`copy (${sql}) to stdout`)));
    }
    return parts.join('\n');
  });
}

/** Empties all tables of the collector. With few rows, deleting is much faster than truncating. */
export async function emptyCollected(database: Database): Promise<void> {
  const tables = [
    ...PUBLISHED_TABLES.map(({ name }) => `public.${name}`),
    'public.input_origins',
    'public.market_stocks',
    ...['bars', 'series', 'symbols', 'holding', 'runs'].map((name) => `collector.${name}`),
    'operations.published_rights',
  ];
  const appendOnlyTables = [
    'archive.publications',
    'public.quality_events',
    'archive.verdict_changes',
    'archive.risk_outlooks',
  ];
  const deletions = tables.map((table) => `delete from ${table}`);
  const appendOnly = appendOnlyTables.map(
    (table) =>
      `alter table ${table} disable trigger rows_stand; delete from ${table};
       alter table ${table} enable always trigger rows_stand`,
  );
  await database.transaction((transaction) => transaction.script([...deletions, ...appendOnly].join('; ')));
}

/** Simulates a process that is killed at the end of the transaction after the first `count`. */
export function endingAfter(database: Database, count: number): Database {
  let done = 0;
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction);
        if (done >= count) throw new Error('killed');
        done += 1;
        return result;
      }, options),
  };
}
