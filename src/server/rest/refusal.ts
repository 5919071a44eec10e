import { similarColumns } from './similar-column.ts';
import type { Table } from './tables.ts';

/** What a refused request gets: PostgREST's status, its error body and the headers that go with it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    details?: string | null;
    hint?: string | null;
    headers?: Readonly<Record<string, string>>;
  }) {
    super(fields.message);
    this.name = 'Refusal';
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? null;
    this.hint = fields.hint ?? null;
    this.headers = fields.headers ?? {};
  }
}

/** A table that is not one of the exposed ones, said as Postgres says it. */
function unknownTable(name: string): Refusal {
  return new Refusal({ status: 404, code: '42P01', message: `relation "public.${name}" does not exist` });
}

/** The table of a name. Throws `Refusal` for a name that is none. */
export function knownTable(named: Table | string): Table {
  if (typeof named === 'string') throw unknownTable(named);
  return named;
}

/** A column that a table does not have among those it has, said as Postgres says it. */
export function unknownColumn(table: string, columns: Iterable<string>, column: string): Refusal {
  const similar = similarColumns(columns, column).map((name) => `the column "${table}.${name}"`);
  const hint = similar.length === 0 ? null : `Perhaps you meant to reference ${similar.join(' or ')}.`;
  return new Refusal({
    status: 400,
    code: '42703',
    message: `column ${table}.${column} does not exist`,
    hint,
  });
}

/** Something the public role may not do with a table it knows. */
export function permissionDenied(table: string): Refusal {
  return new Refusal({
    status: 401,
    code: '42501',
    message: `permission denied for table ${table}`,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * Text of a query parameter that is not in the dialect; `at` counts characters from 0, and so does `found` where it was
 * only some way into a word that it failed.
 */
export function unparsable(what: string, text: string, at: number, expecting: string, reached = at): Refusal {
  const found = reached < text.length ? JSON.stringify(text.charAt(reached)) : 'end of input';
  return new Refusal({
    status: 400,
    code: 'PGRST100',
    message: `"failed to parse ${what} (${text})" (line 1, column ${at + 1})`,
    details: `unexpected ${found} expecting ${expecting}`,
  });
}

/** A range of rows that makes no sense. */
export function unsatisfiableRange(details: string, headers: Record<string, string> = {}): Refusal {
  return new Refusal({
    status: 416,
    code: 'PGRST103',
    message: 'Requested range not satisfiable',
    details,
    headers,
  });
}

/** A request body that cannot become rows. */
export function unacceptableBody(message: string, details: string | null = null, status = 400): Refusal {
  return new Refusal({ status, code: 'PGRST102', message, details });
}
