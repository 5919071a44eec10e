import { type Database, readOnce } from '#database/port.ts';
import type { KnownGaps } from './run.ts';

export async function readKnownGaps(database: Database): Promise<KnownGaps> {
  const sql = 'select name, session from operations.known_gaps';
  const rows = await readOnce<{ name: string; session: string }>(database, sql);
  return new Map(rows.map(({ name, session }) => [name, session]));
}

/** Replaces the stored gaps by the gaps of the newest session, so that later runs request the data of older gaps again. */
export async function writeKnownGaps(database: Database, gaps: KnownGaps): Promise<void> {
  const newest = [...gaps.values()].sort().at(-1);
  const rows = [...gaps].flatMap(([name, session]) => (session === newest ? [{ name, session }] : []));
  await database.transaction(async (transaction) => {
    await transaction.query('delete from operations.known_gaps');
    await transaction.query(
      `insert into operations.known_gaps (name, session)
       select name, session from json_to_recordset($1::json) as gap (name text, session date)`,
      [JSON.stringify(rows)],
    );
  });
}
