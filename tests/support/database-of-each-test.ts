import { beforeAll, beforeEach } from 'vitest';
import { type Database, type Parameter, queryOnce, type Row } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { type EmbeddedForTest, embeddedForTest } from './embedded.ts';

/** A new migrated database, and functions that run a statement, or several, as its owner. */
function databaseOf(hook: typeof beforeAll | typeof beforeEach) {
  let opened: EmbeddedForTest | undefined;
  hook(async () => {
    opened = await embeddedForTest();
    return opened.remove;
  });
  const current = () => {
    if (opened === undefined) throw new Error('The database exists during a test only.');
    return opened;
  };
  const database: Database = {
    transaction: (work, options) => current().database.transaction(work, options),
    listen: (channel, wake) => current().database.listen(channel, wake),
    close: () => current().database.close(),
  };
  const run = <R extends Row = Row>(sql: string, parameters: readonly Parameter[] = []): Promise<R[]> =>
    queryOnce<R>(database, sql, parameters);
  return {
    database,
    /** The address of the database for its owner. */
    url: () => current().url,
    run,
    /** Returns the values of the first column. */
    column: async <T = unknown>(sql: string, parameters?: readonly Parameter[]): Promise<T[]> =>
      (await run(sql, parameters)).map((row) => Object.values(row)[0] as T),
    /** Opens the database as another process does. */
    openAgain: () => openPostgres({ url: current().url }),
    script: (sql: string) => database.transaction((transaction) => transaction.script(sql)),
  };
}

/** A database for each test of the block that calls this. */
export const databaseOfEachTest = () => databaseOf(beforeEach);

/** One database for all tests of the block that calls this. */
export const databaseOfTheseTests = () => databaseOf(beforeAll);
export type Run = ReturnType<typeof databaseOf>['run'];
