import type { Database } from '#database/port.ts';
import { type Condition, REST_LIMITS, type ReadQuery } from './dialect.ts';
import { contentLocation, contentRange, type RestRequest, type RestResponse } from './exchange.ts';
import { readOperation } from './filter.ts';
import { CONTENT_TYPE_OF, readAccept } from './media-type.ts';
import { readName } from './names.ts';
import { readOrder } from './order.ts';
import { preferenceApplied, readPreferences } from './preferences.ts';
import { readRange } from './range.ts';
import { Refusal, unknownColumn, unparsable, unsatisfiableRange } from './refusal.ts';
import { readSelect } from './select.ts';
import { readStatement } from './sql.ts';
import type { Table } from './tables.ts';

const NOT_FILTERS = ['select', 'order', 'limit', 'offset', 'columns', 'on_conflict'];
const LOGIC = /^(not\.)?(and|or)$/;

function readCondition(name: string, text: string): Condition {
  if (LOGIC.test(name)) throw unparsable('logic tree', text, 0, 'filters on columns only');
  const { name: column, end } = readName('tree path', name, 0);
  return { column: end < name.length ? name : column, ...readOperation(text) };
}

/** The parameters of a query string. Throws `Refusal` when there are too many. */
export function readParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  if (parameters.size <= REST_LIMITS.queryParameters) return parameters;
  throw new Refusal({
    status: 400,
    code: 'PGRST100',
    message: 'Too many query parameters',
    details: `A request may have at most ${REST_LIMITS.queryParameters} of them.`,
  });
}

function checkColumns({ table, columns, conditions, ordering }: ReadQuery): void {
  const named = [...columns, ...[...conditions, ...ordering].map(({ column }) => column)];
  const unknown = named.find((column) => !table.columns.has(column));
  if (unknown !== undefined) throw unknownColumn(table.name, unknown);
}

/** A read as a request asks for it, and what its answer says whatever the rows are. */
export interface Read {
  readonly query: ReadQuery;
  /** Where the answer can be had again. */
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The read that a request asks for. Pure. Throws `Refusal`: what cannot be read first, then unknown columns. */
export function parseRead(table: Table, request: RestRequest): Read {
  const parameters = readParameters(request.query);
  const order = parameters.get('order');
  const columns = readSelect(table, parameters.get('select') ?? '');
  const ordering = order === null ? [] : readOrder(order);
  const conditions = [...parameters]
    .filter(([name]) => !NOT_FILTERS.includes(name))
    .map(([name, text]) => readCondition(name, text));
  const range = readRange({
    limit: parameters.getAll('limit').at(-1),
    offset: parameters.getAll('offset').at(-1),
    // PostgREST heeds a Range header for GET only.
    header: request.method === 'GET' ? request.headers.range : undefined,
  });
  const { count, handling } = readPreferences(request.headers.prefer);
  const single = readAccept(request.headers.accept) === 'single';
  const query = { table, columns, conditions, ordering, range, counted: count === 'exact', single };
  checkColumns(query);
  return {
    query,
    location: contentLocation(table.name, parameters),
    headers: preferenceApplied({ count, handling }),
  };
}

/**
 * Reads with the same key have the same answer, to the letter, from the same rows: the location has all parameters in
 * one form, the rest is what headers decide. No part can hold a line break of its own.
 */
export function keyOf({ query, location, headers }: Read): string {
  const { range, single, counted } = query;
  return [location, range.offset, range.limit, single, counted, ...Object.entries(headers).flat()].join('\n');
}

/** Words that stand for another moment from day to day, or from one to the next. */
const MOMENT = /now|today|tomorrow|yesterday/i;

/** Whether the same rows give the same answer at any time. */
export function isLasting({ query: { table, conditions } }: Read): boolean {
  return !conditions.some((condition) => {
    if (condition.operator === 'is' || !/^(date|time)/.test(table.columns.get(condition.column) ?? ''))
      return false;
    const values = condition.operator === 'in' ? condition.values : [condition.value];
    return values.some((value) => MOMENT.test(value));
  });
}

/** Answers a read from the database. Throws `Refusal` and `DatabaseError`. */
export async function answerRead(database: Database, read: Read): Promise<RestResponse> {
  const { query, location } = read;
  const { sql, parameters } = readStatement(query);
  const [row] = await database.transaction((transaction) => transaction.query(sql, parameters), {
    role: 'anon',
    readOnly: true,
    statementTimeoutMs: REST_LIMITS.statementMs,
  });
  const rows = Number(row?.rows ?? 0);
  const total = row?.total == null ? null : Number(row.total);
  if (query.single && rows !== 1) {
    throw new Refusal({
      status: 406,
      code: 'PGRST116',
      message: 'JSON object requested, multiple (or no) rows returned',
      details: `The result contains ${rows} rows`,
      headers: { 'Content-Type': CONTENT_TYPE_OF.single },
    });
  }
  const offset = BigInt(query.range.offset);
  const headers = {
    'Content-Type': CONTENT_TYPE_OF[query.single ? 'single' : 'list'],
    'Content-Range': contentRange(offset, rows, total),
    'Content-Location': location,
    ...read.headers,
  };
  if (total !== null && offset > 0n && offset > BigInt(total)) {
    const details = `An offset of ${offset} was requested, but there are only ${total} rows.`;
    throw unsatisfiableRange(details, { ...headers, 'Content-Type': CONTENT_TYPE_OF.list });
  }
  const status = total !== null && rows < total ? 206 : 200;
  return { status, headers, body: String(row?.body) };
}
