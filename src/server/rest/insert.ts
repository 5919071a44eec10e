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

/** An insert as a request asks for it, who asks, and what its answer says. */
export interface Insert {
  readonly query: InsertQuery;
  /** Null for nobody in particular. */
  readonly client: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** The insert that a request asks for. Pure. Throws `Refusal`. */
export function parseInsert(table: Table, request: RestRequest): Insert {
  readAccept(request.headers.accept);
  checkContentType(request.headers['content-type']);
  const { count, handling, missing, returned, resolution } = readPreferences(request.headers.prefer);
  const columns = readParameters(request.query).get('columns');
  const asked = columns === null ? undefined : readColumns(columns);
  if (request.body === null) {
    const limit = `A body may have at most ${REST_LIMITS.bodyBytes} bytes.`;
    throw unacceptableBody('Request body too large', limit, 413);
  }
  const query = readRows(table, request.body, { columns: asked, missing });
  // Giving rows back or merging into them reads and updates, and the public role may do neither.
  if (resolution || (returned !== undefined && returned !== 'minimal')) throw permissionDenied(table.name);
  const range = { 'Content-Range': `*/${count === 'exact' ? query.rows.length : '*'}` };
  const headers = { ...range, ...preferenceApplied({ count, handling, missing, returned }) };
  return { query, client: request.client, headers };
}

// Where the database counts whom it admits; local, so that nothing of it reaches the session's next transaction.
const TELL_CLIENT = "select set_config('barometer.client', $1::text, true)";

/** Answers an insert, once the rows are there to stay. Throws `DatabaseError`. */
export async function answerInsert(
  database: Database,
  { query, client, headers }: Insert,
): Promise<RestResponse> {
  if (query.rows.length > 0) {
    const { sql, parameters } = insertStatement(query);
    await database.transaction(
      async (transaction) => {
        if (client !== null) await transaction.query(TELL_CLIENT, [client]);
        await transaction.query(sql, parameters);
      },
      { role: 'anon', durable: true, statementTimeoutMs: REST_LIMITS.statementMs },
    );
  }
  return { status: 201, headers, body: '' };
}
