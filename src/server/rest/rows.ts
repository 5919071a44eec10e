import type { InsertQuery } from './dialect.ts';
import { checkListLength } from './names.ts';
import { unacceptableBody } from './refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Escapes that stand together, as both halves of a character do. */
const ESCAPES = /(?:\\(?:u[\da-f]{4}|[^u]))+/gi;

function textOf(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw unacceptableBody('Empty or invalid json');
  }
}

/** The value of JSON; undefined for what is none. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Whether escapes of JSON make whole characters. In the text, since a value may be gone whose key came again. */
function isWellFormed(json: string): boolean {
  return !json.match(ESCAPES)?.some((run) => LONE_SURROGATE.test(JSON.parse(`"${run}"`)));
}

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The columns that all rows have alike, in one order. Throws `Refusal` for rows that do not, or are no objects. */
function columnsOf(items: readonly unknown[]): string[] {
  const [first = [], ...others] = items.map((item) => (isFields(item) ? Object.keys(item).sort() : null));
  const keys = JSON.stringify(first);
  if (first === null || others.some((other) => JSON.stringify(other) !== keys)) {
    throw unacceptableBody('All object keys must match');
  }
  return first;
}

/**
 * The rows of a body: of the columns asked for, with whatever Postgres makes of the body, or else one object or a list
 * of objects with the same keys, where a lone value is no row at all. Throws `Refusal`.
 */
export function readRows(
  body: Uint8Array,
  asked: readonly string[] | null,
): Pick<InsertQuery, 'columns' | 'rows' | 'json'> {
  const json = textOf(body);
  const value = parseJson(json);
  const items: readonly unknown[] = Array.isArray(value) ? value : isFields(value) ? [value] : [];
  checkListLength('rows', items.length);
  if (asked !== null) return { columns: asked, rows: items.length, json };
  if (value === undefined || !isWellFormed(json)) throw unacceptableBody('Empty or invalid json');
  return { columns: columnsOf(items), rows: items.length, json };
}
