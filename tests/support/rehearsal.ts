import type { Database } from '#database/port.ts';

/**
 * Runs `work` against a database and leaves nothing of it behind: all its transactions are savepoints of one that
 * is rolled back. For work that asks for no role.
 */
export async function rehearse<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  const over = new Error('The rehearsal is over.');
  let result: { value: T } | null = null;
  await database
    .transaction(async (outer) => {
      let last: Promise<unknown> = Promise.resolve();
      const rehearsed: Database = {
        ...database,
        // Would wait for the transaction that all of this is in.
        vacuum: async () => undefined,
        transaction: (inner) => {
          const turn = last.then(async () => {
            await outer.query('savepoint rehearsal');
            try {
              const value = await inner(outer);
              await outer.query('release savepoint rehearsal');
              return value;
            } catch (error) {
              await outer.query('rollback to savepoint rehearsal');
              throw error;
            }
          });
          last = turn.catch(() => undefined);
          return turn;
        },
      };
      result = { value: await work(rehearsed) };
      throw over;
    })
    .catch((error) => {
      if (error !== over) throw error;
    });
  return (result as unknown as { value: T }).value;
}
