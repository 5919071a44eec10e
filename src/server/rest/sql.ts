import type { Parameter } from '#database/port.ts';
import {
  COMPARISONS,
  type Condition,
  type InsertQuery,
  type Ordering,
  type ReadQuery,
  type ResponseShape,
} from './dialect.ts';
import type { Table } from './tables.ts';

/** A statement. All values from the request are parameters, and all names are names of known columns. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function typeOf(table: Table, column: string): string {
  const type = table.columns.get(column);
  if (type === undefined) throw new Error(`${table.name} has no column ${column}`);
  return type;
}

/** Returns a Postgres array literal with each value in quotes. */
const arrayOf = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`;

// Casts each filter value to the type of its column, so that Postgres refuses an invalid value even if the table has no
// rows.
function conditionSql(table: Table, condition: Condition, parameter: (value: Parameter) => string): string {
  const column = quoted(condition.column);
  const type = typeOf(table, condition.column);
  if (condition.operator === 'is') return `${column} is ${condition.value}`;
  if (condition.operator === 'in')
    return `${column} = any (${parameter(arrayOf(condition.values))}::${type}[])`;
  return `${column} ${COMPARISONS[condition.operator]} ${parameter(condition.value)}::${type}`;
}

function orderingSql({ column, direction, nulls }: Ordering): string {
  return `${quoted(column)}${direction ? ` ${direction}` : ''}${nulls ? ` nulls ${nulls}` : ''}`;
}

/** SQL expressions with which Postgres makes the body of a response from the rows of `_row`. */
const BODIES: Readonly<Record<ResponseShape, (columns: readonly string[]) => string>> = {
  list: () => `coalesce(json_agg(_row), '[]')`,
  single: () => `coalesce(json_agg(_row) -> 0, 'null')`,
  // The CSV has PostgREST's form: no names of columns if there are no rows, and each row as a composite value of
  // Postgres without brackets.
  csv: (columns) =>
    `case when count(*) = 0 then '' else '${columns.join(',').replaceAll("'", "''")}' end || E'\\n' || ` +
    `coalesce(string_agg(substring(_row::text, 2, length(_row::text) - 2), E'\\n'), '')`,
};

/**
 * Returns the statement of a read. Its result is one row: `body` is the text of the response, `rows` is the number of
 * rows in it, and `total` is the number of rows without the range, or null if it is not counted.
 */
export function readStatement(query: ReadQuery): Statement {
  const parameters: Parameter[] = [];
  const parameter = (value: Parameter) => `$${parameters.push(value)}`;
  const table = `public.${quoted(query.table.name)}`;
  const conditions = query.conditions.map((condition) => conditionSql(query.table, condition, parameter));
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const order = query.ordering.length > 0 ? ` order by ${query.ordering.map(orderingSql).join(', ')}` : '';
  // An offset of 0 is left out. With the offset as a parameter, the reused plan of the statement would read all rows.
  const offset = query.range.offset === 0 ? '' : ` offset ${parameter(String(query.range.offset))}::bigint`;
  const range = ` limit ${query.range.limit}${offset}`;
  const page = `select ${query.columns.map(quoted).join(', ')} from ${table}${where}${order}${range}`;
  const total = query.counted ? `(select count(*) from ${table}${where})` : 'null::bigint';
  return {
    sql: `select ${BODIES[query.shape](query.columns)}::text as body, count(*) as rows, ${total} as total from (${page}) as _row`,
    parameters,
  };
}

/**
 * Returns the statement of an insert. Postgres parses the JSON, so that numbers and escapes do not change. The
 * statement returns no column, because the public role may not read the table.
 */
export function insertStatement({ table, columns, json }: InsertQuery): Statement {
  const names = columns.map(quoted).join(', ');
  const types = columns.map((column) => `${quoted(column)} ${typeOf(table, column)}`).join(', ');
  return {
    sql:
      `insert into public.${quoted(table.name)} (${names}) ` +
      `select ${names} from json_to_recordset($1::json) as _row(${types})`,
    parameters: [json],
  };
}
