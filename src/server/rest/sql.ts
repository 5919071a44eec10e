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

function conditionSql(table: Table, condition: Condition, parameter: (value: Parameter) => string): string {
  const column = quoted(condition.column);
  // Through text, so that both engines send the value as it stands and Postgres words the complaint.
  const cast = (value: string) => `${parameter(value)}::text::${typeOf(table, condition.column)}`;
  const negation = condition.negated ? 'not ' : '';
  if (condition.operator === 'is') return `${negation}(${column} is ${condition.value})`;
  if (condition.operator === 'in') {
    const values = condition.values.map(cast).join(', ');
    return `${negation}(${values === '' ? 'false' : `${column} in (${values})`})`;
  }
  return `${negation}(${column} ${COMPARISONS[condition.operator]} ${cast(condition.value)})`;
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
  const range = ` limit ${query.range.limit} offset ${parameter(query.range.offset)}::text::bigint`;
  const page = `select ${query.columns.map(quoted).join(', ')} from ${table}${where}${order}${range}`;
  const list = `coalesce(json_agg(_row), '[]')`;
  const body = query.single ? `coalesce(json_agg(_row) -> 0, 'null')` : list;
  const total = query.counted ? `(select count(*) from ${table}${where})` : 'null::bigint';
  return {
    sql: `select ${body}::text as body, count(*) as rows, ${total} as total from (${page}) as _row`,
    parameters,
  };
}

/** The statement of an insert. It returns nothing, so that a role which may not read can write. */
export function insertStatement(query: InsertQuery): Statement {
  const parameters: Parameter[] = [];
  const table = `public.${quoted(query.table.name)}`;
  if (query.columns.length === 0) return { sql: `insert into ${table} default values`, parameters };
  const rows = query.rows.map((row) => {
    const cells = query.columns.map((column, index) => {
      const cell = row[index];
      return cell === undefined
        ? 'default'
        : `$${parameters.push(cell)}::text::${typeOf(query.table, column)}`;
    });
    return `(${cells.join(', ')})`;
  });
  const columns = query.columns.map(quoted).join(', ');
  return { sql: `insert into ${table} (${columns}) values ${rows.join(', ')}`, parameters };
}
