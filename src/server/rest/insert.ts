import type { Database } from '#database/port.ts';
import type { Asked } from './address.ts';
import { type InsertQuery, REST_LIMITS } from './dialect.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { checkContentType, notSingle, readAccept } from './media-type.ts';
import { preferenceApplied, readPreferences } from './preferences.ts';
import { knownTable, permissionDenied, Refusal, unacceptableBody } from './refusal.ts';
import { readRows } from './rows.ts';
import { insertStatement } from './sql.ts';
import type { Table } from './tables.ts';

/** An insert as a request asks for it, who asks, and what its answer says. */
export interface Insert {
  readonly query: InsertQuery;
  /** Null for nobody in particular. */
  readonly client: string | null;
  readonly counted: boolean;
  /** Whether it is to be one row, and nothing else. */
  readonly single: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

function checkColumns({ name, columns }: Table, asked: readonly string[]): void {
  const unknown = asked.find((column) => !columns.has(column));
  if (unknown === undefined) return;
  const message = `Column '${unknown}' of relation '${name}' does not exist`;
  throw new Refusal({ status: 400, code: 'PGRST204', message });
}

/**
 * The insert that a request asks for of a table, or of a name that is none. Pure. Throws `Refusal`, in PostgREST's order: for
 * the body, its columns, the headers, and for a table that is not there. Null where there is none to have columns.
 */
export function parseInsert(named: Table | string, request: RestRequest, asked: Asked): Insert | null {
  checkContentType(request.headers['content-type']);
  if (request.body === null) {
    const limit = `A body may have at most ${REST_LIMITS.bodyBytes} bytes.`;
    throw unacceptableBody('Request body too large', limit, 413);
  }
  // What is asked for by name is looked at before the body, which else says what is asked for.
  if (typeof named !== 'string') checkColumns(named, asked.columns ?? []);
  const body = readRows(request.body, asked.columns);
  if (typeof named !== 'string') checkColumns(named, body.columns);
  else if (body.columns.length > 0) return null;
  const { count, handling, missing, returned, resolution } = readPreferences(request.headers.prefer);
  const single = readAccept(request.headers.accept) === 'single';
  const table = knownTable(named);
  // Giving rows back or merging into them reads and updates, and the public role may do neither.
  if (resolution || (returned !== undefined && returned !== 'minimal')) throw permissionDenied(table.name);
  return {
    query: { table, ...body, defaults: missing === 'default' },
    client: request.client,
    counted: count === 'exact',
    single,
    headers: preferenceApplied({ count, handling, missing, returned }),
  };
}

// Where the database counts whom it admits; local, so that nothing of it reaches the session's next transaction.
const TELL_CLIENT = "select set_config('barometer.client', $1::text, true)";

/** Answers an insert, once the rows are there to stay. Throws `Refusal` and `DatabaseError`. */
export async function answerInsert(database: Database, insert: Insert): Promise<RestResponse> {
  const { query, client, counted, single, headers } = insert;
  const { sql, parameters } = insertStatement(query);
  const rows = await database.transaction(
    async (transaction) => {
      if (client !== null) await transaction.query(TELL_CLIENT, [client]);
      const [inserted] = await transaction.query(sql, parameters);
      const count = Number(inserted?.rows ?? 0);
      // Nothing stays of what was to be one row and is not.
      if (single && count !== 1) throw notSingle(count);
      return count;
    },
    { role: 'anon', durable: true, statementTimeoutMs: REST_LIMITS.statementMs },
  );
  const range = { 'Content-Range': `*/${counted ? rows : '*'}` };
  return { status: 201, headers: { ...range, ...headers }, body: '' };
}
