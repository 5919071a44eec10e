import type { SendRead } from './read-rows.ts';
import { type Comparison, namesOf, type TableRead } from './table-reads.ts';

const SQL_OF_COMPARISON: Readonly<Record<Comparison, string>> = {
  ...{ eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' },
};
export const COMPARISONS = Object.keys(SQL_OF_COMPARISON) as readonly Comparison[];

export const IS_VALUES = ['null', 'true', 'false', 'unknown'] as const;

const SQL_OF_ORDER: Readonly<Record<string, string>> = {
  ...{ asc: 'asc', desc: 'desc', nullsfirst: 'nulls first', nullslast: 'nulls last' },
};

export type Filter =
  | readonly [column: string, operator: Comparison, value: string]
  | readonly [column: string, operator: 'is', value: (typeof IS_VALUES)[number]]
  | readonly [column: string, operator: 'in', values: readonly string[]];

/**
 * A read with every filter and order that the table API supports: an order may omit its direction, and may end with
 * `.nullsfirst` or `.nullslast`. The table and its columns must exist.
 */
export interface AnyRead extends Omit<TableRead, 'filters'> {
  readonly filters?: readonly Filter[];
}

type Value = string | readonly string[];

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function orderTerm(order: string): string {
  const [column = '', ...words] = order.split('.');
  return [quoted(column), ...words.map((word) => SQL_OF_ORDER[word])].join(' ');
}

/** Returns the SQL of the relation that a read of a table reads, for a statement that uses these columns. */
type RelationOf = (table: string, columns: ReadonlySet<string>) => string;

const inPublic: RelationOf = (table) => `public.${quoted(table)}`;

/**
 * Returns the statement of a read. Its result is one row: `body` is the JSON list of the rows as text, `rows` their
 * number, and `total` the number of rows without the range, or null if it is not counted. Postgres gives each parameter
 * the type of its column, and refuses an invalid value even if the table has no rows.
 */
export function readStatement(read: AnyRead, relationOf: RelationOf = inPublic) {
  const { table, filters = [], order = [], offset = 0, limit, isCounted } = read;
  const parameters: Value[] = [];
  const parameter = (value: Value) => `$${parameters.push(value)}`;
  const conditions = filters.map(([name, operator, value]) => {
    const column = quoted(name);
    if (operator === 'is') return `${column} is ${value}`;
    if (operator === 'in') return `${column} = any (${parameter(value)})`;
    return `${column} ${SQL_OF_COMPARISON[operator]} ${parameter(value)}`;
  });
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const names = namesOf(read).split(',');
  const used = [...filters.map(([name]) => name), ...order.map((each) => each.split('.')[0] ?? '')];
  const from = `from ${relationOf(table, new Set([...names, ...used]))}${where}`;
  const by = order.length > 0 ? ` order by ${order.map(orderTerm).join(', ')}` : '';
  const total = isCounted ? `(select count(*) ${from})` : 'null::bigint';
  return {
    sql:
      `select coalesce(json_agg(_row), '[]')::text as body, count(*) as rows, ${total} as total ` +
      `from (select ${names.map(quoted).join(', ')} ${from}${by} limit ${limit} offset ${offset}) as _row`,
    parameters,
  };
}

/** Runs a statement and returns its rows. Transactions of `#database/port.ts` have this shape. */
export interface Runner {
  query(sql: string, parameters: readonly Value[]): Promise<Record<string, unknown>[]>;
}

export interface ReadResult {
  /** The rows as a JSON list, with the numbers and times in PostgREST's format. */
  readonly body: string;
  readonly rows: number;
  /** The number of rows without the range; null if it is not counted. */
  readonly total: number | null;
}

/** Runs a read in the database. Rejects with the error of `runner`. */
export async function runRead(runner: Runner, read: AnyRead, relationOf?: RelationOf): Promise<ReadResult> {
  const { sql, parameters } = readStatement(read, relationOf);
  const [row] = await runner.query(sql, parameters);
  const total = row?.total == null ? null : Number(row.total);
  return { body: String(row?.body), rows: Number(row?.rows ?? 0), total };
}

/** Sends reads into an open transaction, one after another, none after a failed one. Rejects with its error. */
export function sendInto(
  runner: Runner,
  relationOf?: RelationOf,
  onResult?: (read: TableRead, result: ReadResult) => void,
): SendRead {
  let last: Promise<unknown> = Promise.resolve();
  return (read) => {
    const response = last.then(async () => {
      const result = await runRead(runner, read, relationOf);
      onResult?.(read, result);
      return { data: JSON.parse(result.body) as unknown, error: null, status: 200, count: result.total };
    });
    last = response;
    return response;
  };
}
