import type { Parameter } from '#database/port.ts';
import { COMPARISONS, type Condition, type InsertQuery, type Ordering, type ReadQuery } from './dialect.ts';
import type { Table } from './tables.ts';

/** One statement; every value in it is a parameter, every name a column that is known. */
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

// Each value once more in quotes, so that it is one whatever is in it.
const arrayOf = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`;

function conditionSql(table: Table, condition: Condition, parameter: (value: Parameter) => string): string {
  const column = quoted(condition.column);
  const type = typeOf(table, condition.column);
  const negation = condition.negated ? 'not ' : '';
  if (condition.operator === 'is') return `${negation}(${column} is ${condition.value})`;
  // Of the column's own type, so that a value that is none is refused whatever the rows are, in the words of Postgres.
  if (condition.operator === 'in') {
    return `${negation}(${column} = any (${parameter(arrayOf(condition.values))}::${type}[]))`;
  }
  return `${negation}(${column} ${COMPARISONS[condition.operator]} ${parameter(condition.value)}::${type})`;
}

function orderingSql({ column, direction, nulls }: Ordering): string {
  return `${quoted(column)}${direction ? ` ${direction}` : ''}${nulls ? ` nulls ${nulls}` : ''}`;
}

/**
 * The statement of a read. Its one row: `body`, the answer as JSON text made by Postgres; `rows`, how many
 * it holds; `total`, how many there are without the range, or null when not counted.
 */
export function readStatement(query: ReadQuery): Statement {
  const parameters: Parameter[] = [];
  const parameter = (value: Parameter) => `$${parameters.push(value)}`;
  const table = `public.${quoted(query.table.name)}`;
  const conditions = query.conditions.map((condition) => conditionSql(query.table, condition, parameter));
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
  const order = query.ordering.length > 0 ? ` order by ${query.ordering.map(orderingSql).join(', ')}` : '';
  const range = ` limit ${query.range.limit} offset ${parameter(query.range.offset)}::bigint`;
  const page = `select ${query.columns.map(quoted).join(', ')} from ${table}${where}${order}${range}`;
  const list = `coalesce(json_agg(_row), '[]')`;
  const body = query.single ? `coalesce(json_agg(_row) -> 0, 'null')` : list;
  const total = query.counted ? `(select count(*) from ${table}${where})` : 'null::bigint';
  return {
    sql: `select ${body}::text as body, count(*) as rows, ${total} as total from (${page}) as _row`,
    parameters,
  };
}

const listOf = (type: 'json' | 'jsonb') =>
  `case ${type}_typeof($1::${type}) when 'array' then $1::${type} else ${type}_build_array($1::${type}) end`;

/** The rows of the JSON in `$1`, with the defaults of columns for what they lack. */
function defaultedRows({ table, columns }: InsertQuery): string {
  const defaults = columns.flatMap((column) => {
    const expression = table.defaults?.get(column);
    return expression === undefined ? [] : [`'${column}', ${expression}`];
  });
  const row = `jsonb_build_object(${defaults.join(', ')}) || item`;
  return `jsonb_to_recordset((select jsonb_agg(${row}) from jsonb_array_elements(${listOf('jsonb')}) as item))`;
}

/**
 * The statement of an insert, whose one row has how many there were in `rows`. Postgres reads the JSON, so that numbers and
 * escapes are to the letter what they were. No column is given back, so that a role which may not read can write.
 */
export function insertStatement(query: InsertQuery): Statement {
  const { columns } = query;
  const names = columns.map(quoted).join(', ');
  const counted = (rows: string) =>
    `with inserted as (insert into public.${quoted(query.table.name)} ${rows} returning 1)
      select count(*) as rows from inserted`;
  if (columns.length === 0)
    return { sql: counted(`select from generate_series(1, ${query.rows})`), parameters: [] };
  const rows = query.defaults ? defaultedRows(query) : `json_to_recordset(${listOf('json')})`;
  const types = columns.map((column) => `${quoted(column)} ${typeOf(query.table, column)}`).join(', ');
  return {
    sql: counted(`(${names}) select ${names} from ${rows} as _row(${types})`),
    parameters: [query.json],
  };
}
