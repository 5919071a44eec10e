import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';
import type { Database } from '../port.ts';
import { openPostgres } from './open.ts';

describe.runIf(hasPostgres())('a Postgres that goes away', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let database: Database;

  beforeAll(async () => {
    server = await startPostgres();
    database = await openPostgres({ url: server.url, max: 2 });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  it('fails the transactions under way, leaves the process standing, and serves the next', async () => {
    const sleeping = Array.from({ length: 2 }, () =>
      database.transaction(async (transaction) => {
        await transaction.query("select 'under way', pg_sleep(60)");
      }),
    );
    const failures = Promise.allSettled(sleeping);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where query like '%under way%' and pid <> pg_backend_pid()`;
    const isUnderWay = `do $$ begin while (select count(*) from pg_stat_activity where query like 'select ''under way%') < 2 loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`;
    await server.run(isUnderWay);
    await server.run(cut);
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: '57P01' } });
    }
    const rows = await database.transaction((transaction) => transaction.query('select 1 as one'));
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('keeps no lock for a process that is gone without a word', async () => {
    const idle = () =>
      database.transaction((transaction) =>
        transaction.query("select current_setting('idle_in_transaction_session_timeout') as idle"),
      );
    expect(await idle()).toEqual([{ idle: '1min' }]);
    const frozen = database.transaction(async (transaction) => {
      await transaction.query("set local idle_in_transaction_session_timeout = '20ms'");
      const cut = "not exists (select from pg_stat_activity where state = 'idle in transaction')";
      await server.run(
        `do $$ begin while not (${cut}) loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`,
      );
      await transaction.query('select 1');
    });
    await expect(frozen).rejects.toThrow();
    expect(await idle()).toEqual([{ idle: '1min' }]);
  });
});
