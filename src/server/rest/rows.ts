import type { Cell, InsertQuery } from './dialect.ts';
import { checkListLength } from './names.ts';
import { Refusal, unacceptableBody } from './refusal.ts';
import type { Table } from './tables.ts';

type Fields = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const LONE_SURROGATE = /\p{Surrogate}/u;

function parseJson(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(utf8.decode(body), (_key, item: unknown) => {
      if (typeof item === 'string' && LONE_SURROGATE.test(item)) throw new SyntaxError('not well formed');
      return item;
    });
    return value;
  } catch {
    throw unacceptableBody('Empty or invalid json');
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// As json_to_recordset gives it: text as it is, everything else as its JSON.
function toCell(value: unknown): Cell {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!text.includes('\u0000')) return text;
  throw new Refusal({
    status: 400,
    code: '22P05',
    message: 'unsupported Unicode escape sequence',
    details: '\\u0000 cannot be converted to text.',
  });
}

/**
 * The rows of a body: one object or a list of objects with the same keys, or, with `columns`, of those
 * columns only. A column a row lacks is its default under `missing=default`, else null. Throws `Refusal`.
 */
export function readRows(
  table: Table,
  body: Uint8Array,
  options: { columns: readonly string[] | undefined; missing: 'default' | 'null' | undefined },
): InsertQuery {
  const value = parseJson(body);
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  checkListLength('rows', items.length);
  const objects = items.filter(isFields);
  const keys = Object.keys(objects[0] ?? {}).sort();
  const alike = (fields: Fields) => Object.keys(fields).sort().join('\0') === keys.join('\0');
  if (objects.length < items.length || !(options.columns || objects.every(alike))) {
    throw unacceptableBody('All object keys must match');
  }
  const columns = options.columns ?? keys;
  const unknown = columns.find((column) => !table.columns.has(column));
  if (unknown !== undefined) {
    throw new Refusal({
      status: 400,
      code: 'PGRST204',
      message: `Column '${unknown}' of relation '${table.name}' does not exist`,
    });
  }
  const absent = options.missing === 'default' ? undefined : null;
  const rows = objects.map((fields) =>
    columns.map((column) => (Object.hasOwn(fields, column) ? toCell(fields[column]) : absent)),
  );
  return { table, columns, rows };
}
