import type { Database } from '#database/port.ts';

/** What a table holds, in a word that changes with any value of it. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Tell of the runs themselves, how often they were killed among it, and of how many commits it took. */
const NOT_COMPARED = ['collector.runs', 'operations.data_version'];

/**
 * All tables with all columns, but for the row numbers that a sequence gives: gaps in it tell of transactions that
 * were rolled back. A bar is known by its symbol instead.
 */
export async function digestTables(database: Database): Promise<TableDigest[]> {
  return database.transaction(
    async (transaction) => {
      const tables = await transaction.query<{ name: string }>(
        `select table_schema || '.' || table_name as name from information_schema.tables
         where table_schema in ('public', 'collector', 'operations') and table_type = 'BASE TABLE'
         order by name`,
      );
      const digests: TableDigest[] = [];
      for (const { name } of tables.filter((table) => !NOT_COMPARED.includes(table.name))) {
        const rowsOf =
          name === 'collector.bars'
            ? `select to_jsonb(t) - 'symbol_id' || jsonb_build_object('symbol', s.symbol)
               from collector.bars t left join collector.symbols s on s.id = t.symbol_id`
            : `select to_jsonb(t) - 'id' from ${name} t`;
        const [row] = await transaction.query<{ rows: number; digest: string }>(
          `select count(*)::integer as rows, md5(coalesce(string_agg(line, '' order by line), '')) as digest
           from (select md5(each.content::text) as line from (${rowsOf}) as each (content)) as lines`,
        );
        digests.push({ table: name, rows: row?.rows ?? 0, digest: row?.digest ?? '' });
      }
      return digests;
    },
    { readOnly: true },
  );
}
