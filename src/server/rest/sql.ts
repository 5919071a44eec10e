import type { Parameter } from '#database/port.ts';
import { COMPARISONS, type Condition, type InsertQuery, type Ordering, type ReadQuery } from './dialect.ts';
import type { Table } from './tables.ts';

/** One statement. Every value in it is a parameter, every name a known column. */
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

/** A Postgres array literal, with each value in quotes. */
const arrayOf = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`;

// Filter values have the type of their column, so that Postgres refuses an invalid one even without rows.
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

/**
 * The statement of a read. Its one row: `body`, the response as JSON text made by Postgres; `rows`, their number; `total`,
 * their number without the range, or null if it is not counted.
 */
export function readStatement(query: ReadQuery): Statement {
  const parameters: Parameter[] = [];
  const parameter = (value: Parameter) => `$${parameters.push(value)}`;
  const table = `public.${quoted(query.table.name)}`;
  const conditions = query.conditions.map((condition) => conditionSql(query.table, condition, parameter));
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const order = query.ordering.length > 0 ? ` order by ${query.ordering.map(orderingSql).join(', ')}` : '';
  // Without a known offset, a reused plan would read all rows.
  const offset = query.range.offset === 0 ? '' : ` offset ${parameter(String(query.range.offset))}::bigint`;
  const range = ` limit ${query.range.limit}${offset}`;
  const page = `select ${query.columns.map(quoted).join(', ')} from ${table}${where}${order}${range}`;
  const list = `coalesce(json_agg(_row), '[]')`;
  const body = query.single ? `coalesce(json_agg(_row) -> 0, 'null')` : list;
  const total = query.counted ? `(select count(*) from ${table}${where})` : 'null::bigint';
  return {
    sql: `select ${body}::text as body, count(*) as rows, ${total} as total from (${page}) as _row`,
    parameters,
  };
}

/**
 * The statement of an insert. Postgres reads the JSON, so that numbers and escapes keep their meaning. It returns no
 * column, since the public role may not read them.
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
