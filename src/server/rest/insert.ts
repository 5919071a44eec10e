import type { Database } from '#database/port.ts';
import { type InsertQuery, REST_LIMITS } from './dialect.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { checkContentType, readAccept } from './media-type.ts';
import { preferenceApplied, readPreferences } from './preferences.ts';
import { readParameters } from './read.ts';
import { permissionDenied, unacceptableBody } from './refusal.ts';
import { readRows } from './rows.ts';
import { readColumns } from './select.ts';
import { insertStatement } from './sql.ts';
import type { Table } from './tables.ts';

/** The insert that a request asks for. Pure. Throws `Refusal`. */
export function readInsert(table: Table, request: RestRequest): InsertQuery {
  readAccept(request.headers.accept);
  checkContentType(request.headers['content-type']);
  const { missing, returned, resolution } = readPreferences(request.headers.prefer);
  const columns = readParameters(request.query).get('columns');
  const asked = columns === null ? undefined : readColumns(columns);
  if (request.body === null) {
    const limit = `A body may have at most ${REST_LIMITS.bodyBytes} bytes.`;
    throw unacceptableBody('Request body too large', limit, 413);
  }
  const query = readRows(table, request.body, { columns: asked, missing });
  // Giving rows back or merging into them reads and updates, and the public role may do neither.
  if (resolution || (returned !== undefined && returned !== 'minimal')) throw permissionDenied(table.name);
  return query;
}

// Where the database counts whom it admits; local, so that nothing of it reaches the session's next transaction.
const TELL_CLIENT = "select set_config('barometer.client', $1::text, true)";

/** Answers a POST on a table, once the rows are there to stay. Throws `Refusal` and `DatabaseError`. */
export async function answerInsert(
  database: Database,
  table: Table,
  request: RestRequest,
): Promise<RestResponse> {
  const query = readInsert(table, request);
  if (query.rows.length > 0) {
    const { sql, parameters } = insertStatement(query);
    await database.transaction(
      async (transaction) => {
        if (request.client !== null) await transaction.query(TELL_CLIENT, [request.client]);
        await transaction.query(sql, parameters);
      },
      { role: 'anon', durable: true, statementTimeoutMs: REST_LIMITS.statementMs },
    );
  }
  const { count, handling, missing, returned } = readPreferences(request.headers.prefer);
  const range = { 'Content-Range': `*/${count === 'exact' ? query.rows.length : '*'}` };
  const headers = { ...range, ...preferenceApplied({ count, handling, missing, returned }) };
  return { status: 201, headers, body: '' };
}
