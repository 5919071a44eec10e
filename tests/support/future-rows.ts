import type { Database } from '#database/port.ts';

const setTriggers = (action: 'disable' | 'enable always', triggers: string) => `do $$
  declare
    found record;
  begin
    for found in select tgrelid::regclass as table_name, tgname from pg_trigger where tgname in (${triggers}) loop
      execute format('alter table %s ${action} trigger %I', found.table_name, found.tgname);
    end loop;
  end $$;`;

/** SQL of the owner that stores rows dated in the future, which a database has if its own clock was wrong. */
export const withFutureRows = (script: string): string =>
  [
    setTriggers('disable', "'future_row_refused'"),
    script,
    setTriggers('enable always', "'future_row_refused'"),
  ].join('\n');

/** Stores rows that the database refuses because they are dated in the future. */
export async function writeFutureRows(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.transaction((transaction) =>
    transaction.script(withFutureRows(statements.map((statement) => `${statement};`).join('\n'))),
  );
}

/** Lets the tests of a file set the clock: the database accepts rows of any time in any order. */
export async function acceptAnyTime(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.script(setTriggers('disable', "'future_row_refused', 'order_kept'")),
  );
}
