import { beforeEach } from 'vitest';
import type { Database, Parameter, Row } from '#database/port.ts';
import { type EmbeddedForTest, embeddedForTest } from './embedded.ts';

/** A new migrated database for each test of the block that calls this, and a function that runs a statement as its owner. */
export function databaseOfEachTest() {
  let opened: EmbeddedForTest | undefined;
  beforeEach(async () => {
    opened = await embeddedForTest();
    return opened.remove;
  });
  const current = () => {
    if (opened === undefined) throw new Error('The database exists during a test only.');
    return opened.database;
  };
  const database: Database = {
    transaction: (work, options) => current().transaction(work, options),
    close: () => current().close(),
  };
  const run = (sql: string, parameters: readonly Parameter[] = []): Promise<Row[]> =>
    database.transaction((transaction) => transaction.query(sql, parameters));
  return { database, run };
}
