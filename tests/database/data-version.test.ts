import { beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '#database/port.ts';
import { PUBLISHED_TABLE_NAMES } from '#schema/tables.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';

/** A row for each market table, without `created_at`. */
const ROWS: Readonly<Record<string, string>> = {
  market_indices: "(symbol, name) values ('SPX', 'S&P 500')",
  market_metrics: '(market_exposure) values (50)',
  fear_greed_index: "(index_value, index_label) values (50, 'Neutral')",
  sector_strength: "(sector) values ('Energy')",
  advanced_indicators: '(vix) values (15)',
  market_sentiment: "(timeframe) values ('short')",
  market_breadth: '(advancing_stocks) values (1)',
  input_origins: "(input) values ('bars')",
  market_stocks: "(symbol, name, sector) values ('AAA', 'Aaa', 'Energy')",
};

describe('the data version', () => {
  const { database, run: ask } = databaseOfTheseTests();
  beforeEach(async () => {
    await ask('truncate market_metrics, fear_greed_index, market_breadth');
  });

  const versionIn = async (transaction: Transaction): Promise<number> => {
    const [row] = await transaction.query<{ version: number }>('select version from operations.data_version');
    return row?.version ?? Number.NaN;
  };
  const version = () => database.transaction(versionIn);
  /**
   * Runs the statements in one transaction, which the last statement may abort with `giveUp`. Returns the increase of
   * the data version.
   */
  const growth = async (statements: readonly string[], role?: 'anon' | 'service_role'): Promise<number> => {
    const before = await version();
    await database
      .transaction(
        async (transaction) => {
          for (const statement of statements) await transaction.query(statement);
        },
        role === undefined ? {} : { role },
      )
      .catch((error: unknown) => {
        if (!String(error).includes('given up')) throw error;
      });
    return (await version()) - before;
  };
  const run = (...statements: string[]) => growth(statements);
  const giveUp = "do $$ begin raise exception 'given up'; end $$";
  const metric = (day: string) =>
    `insert into market_metrics (market_exposure, created_at) values (50, '${day}')`;

  it.each(PUBLISHED_TABLE_NAMES)('grows with every change of %s', async (table) => {
    expect(await run(`insert into ${table} ${ROWS[table]}`)).toBe(1);
    expect(await run(`update ${table} set source = 'csv'`)).toBe(1);
    expect(await run(`delete from ${table}`)).toBe(1);
    expect(await run(`truncate ${table}`)).toBe(1);
    await database.transaction((transaction) =>
      transaction.copyIn(
        `copy ${table} (${/\((.*?)\)/.exec(ROWS[table] ?? '')?.[1]}) from stdin (format csv, quote '''')`,
        new TextEncoder().encode(
          `${/values \((.*)\)/.exec(ROWS[table] ?? '')?.[1]?.replaceAll(', ', ',')}\n`,
        ),
      ),
    );
    expect(await run(`delete from ${table}`)).toBe(1);
  });

  it('has its triggers on every table that visitors read, also on tables added later', async () => {
    const readable = await ask(`select relname::text as name, coalesce((
           select array_agg(tgname::text || ' ' || tgtype || tgenabled::text order by tgname)::text from pg_trigger
           where tgrelid = pg_class.oid and tgfoid = 'operations.note_data_change'::regproc), '') as triggers
         from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'f')
             and has_table_privilege('anon', oid, 'select')
           or oid in ('mailer.issued_signals'::regclass, 'mailer.grades'::regclass, 'archive.risk_outlooks'::regclass, 'archive.verdict_changes'::regclass) order by 1`);
    // `tgtype` is a sum: insert 4, delete 8, update 16, truncate 32. 'A' fires always.
    const triggers = '{"data_added 36A","data_deleted 8A","data_updated 16A"}';
    const ofMarket = PUBLISHED_TABLE_NAMES.map((name) => ({ name, triggers }));
    // The append-only tables of the record.
    const ofRecord = ['issued_signals', 'grades', 'quality_events', 'risk_outlooks', 'verdict_changes'].map(
      (name) => ({
        name,
        triggers: '{"data_added 4A"}',
      }),
    );
    expect(readable).toEqual([...ofMarket, ...ofRecord].sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('grows once per transaction for any number of rows', async () => {
    const inserts = ['2026-11-16', '2026-11-17', '2026-11-18'].map(metric);
    expect(
      await run(...inserts, 'update market_metrics set overall_strength = 1', 'truncate market_breadth'),
    ).toBe(1);
    expect(await run('delete from market_metrics')).toBe(1);
  });

  it('counts no change that was rolled back to a savepoint', async () => {
    const part = ['savepoint part', metric('2026-11-16'), 'rollback to savepoint part'];
    expect(await run(...part)).toBe(0);
    expect(await run(...part, metric('2026-11-17'))).toBe(1);
    expect(await run(metric('2026-11-18'), ...part)).toBe(1);
  });

  it('grows at the commit, but not after a rollback', async () => {
    expect(await run(metric('2026-11-16'), giveUp)).toBe(0);
    const before = await version();
    await database.transaction(async (transaction) => {
      await transaction.query(metric('2026-11-16'));
      expect(await versionIn(transaction)).toBe(before);
    });
    expect(await version()).toBe(before + 1);
  });

  it('stays the same if no market row changes', async () => {
    expect(await run('delete from market_metrics', 'update market_breadth set advancing_stocks = 1')).toBe(0);
    expect(await growth(["insert into email_subscribers (email) values ('ann@example.com')"], 'anon')).toBe(
      0,
    );
    expect(
      await run("insert into collector.symbols (symbol, name, sector) values ('A', 'A', 'Energy')"),
    ).toBe(0);
  });

  it('grows with changes by any role, also with ordinary triggers disabled', async () => {
    expect(await growth([metric('2026-11-16')], 'service_role')).toBe(1);
    expect(await run("set local session_replication_role = 'replica'", metric('2026-11-17'))).toBe(1);
  });

  it('leaves no row in operations.data_changes', async () => {
    await run(metric('2026-11-16'));
    expect(await ask('select * from operations.data_changes')).toEqual([]);
  });

  it('lets writers of different tables commit without deadlocks', async () => {
    const before = await version();
    const insert = (table: string) => `insert into ${table} ${ROWS[table]}`;
    let finishFirst = () => {};
    const secondHasWritten = new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    // If the first statement locked the row of the version, the second transaction could not commit before the first.
    const first = database.transaction(async (transaction) => {
      await transaction.query(insert('market_metrics'));
      await secondHasWritten;
      await transaction.query(insert('fear_greed_index'));
    });
    await database.transaction(
      async (transaction) => {
        await transaction.query(insert('market_breadth'));
        await transaction.query(insert('input_origins'));
      },
      { statementTimeoutMs: 60_000 },
    );
    finishFirst();
    await first;
    expect(await version()).toBe(before + 2);
  });
});
