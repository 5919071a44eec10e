import type { Database } from '#database/port.ts';
import { isSessionClose } from '#domain/calendar/sessions.ts';
import { MARKET_TABLES, ORIGINS_TABLE } from '#schema/tables.ts';

/** The closing row sets whose tables differ from their newest record in the journal, as `market_metrics of 2024-11-25T21:00:00.000Z`. */
export async function journalDifferences(database: Database): Promise<string[]> {
  const differences: string[] = [];
  await database.transaction(
    async (transaction) => {
      for (const table of [...MARKET_TABLES, ORIGINS_TABLE]) {
        const rows = await transaction.query<{ at: number }>(
          `with recorded as (
             select distinct on (created_at_batch) created_at_batch as batch, rows::jsonb -> '${table}' as rows
             from archive.publications order by created_at_batch, id desc
           ), stored as (
             select created_at as batch, jsonb_agg(to_jsonb(t) - 'id' - 'created_at' - 'source' order by id) as rows
             from public.${table} t group by created_at
           )
           select (extract(epoch from batch) * 1000)::double precision as at
           from recorded full join stored using (batch)
           where coalesce(recorded.rows, 'null') <> coalesce(stored.rows, '[]') order by batch`,
        );
        for (const { at } of rows.filter((row) => isSessionClose(row.at))) {
          differences.push(`${table} of ${new Date(at).toISOString()}`);
        }
      }
    },
    { readOnly: true },
  );
  return differences;
}
