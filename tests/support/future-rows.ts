import type { Database } from '#database/port.ts';

/** Writes rows that the database refuses except during an import, as a database of an earlier version may hold them. */
export async function writeFutureRows(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query("select set_config('barometer.moving', 'yes', true)");
    for (const statement of statements) await transaction.query(statement);
  });
}
