import { type AnyRead, COMPARISONS, type Filter, IS_VALUES } from '#queries/read-statement.ts';
import { REST_LIMITS } from './exchange.ts';
import type { Table } from './exposed-tables.ts';
import { excerpt, Refusal, unsatisfiableRange, unsupported } from './refusal.ts';

type Parameters = readonly (readonly [name: string, value: string])[];

/** Printable ASCII without the semicolon, at which PostgREST also splits a query string. */
const ENCODED = /^[ -:<-~]*$/;
const ENCODE = 'Write parameters as name=value, joined by &. Percent-encode all other text as UTF-8.';

const refused = (message: string, hint: string) => new Refusal(400, 'PGRST100', message, { hint });

/** Decodes text of a query string. Throws `Refusal` if it is not UTF-8, or contains a NUL, which Postgres cannot store. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text.replaceAll('+', ' '));
    if (!plain.includes('\0')) return plain;
  } catch {
    // The text is not valid UTF-8. The code below refuses it.
  }
  throw refused('The query is not encoded correctly.', ENCODE);
}

/** Parses the parameters of a query string, in their order. Throws `Refusal`. */
export function parseParameters(query: string): Parameters {
  if (!ENCODED.test(query)) throw refused('The query is not encoded correctly.', ENCODE);
  const parts = query.split('&').filter((part) => part !== '');
  if (parts.length > REST_LIMITS.queryParameters) {
    throw refused('Too many query parameters', `Send at most ${REST_LIMITS.queryParameters}.`);
  }
  return parts.map((part) => {
    const end = part.indexOf('=');
    if (end < 0) throw unsupported(part, ENCODE);
    return [decoded(part.slice(0, end)), decoded(part.slice(end + 1))];
  });
}

/** Returns the value of a parameter; undefined if it is missing. Throws `Refusal` if it occurs twice. */
function valueNamed(parameters: Parameters, name: string): string | undefined {
  const values = parameters.filter(([other]) => other === name);
  if (values.length > 1) throw unsupported(`${name} twice`, `Send ${name} once.`);
  return values[0]?.[1];
}

const PLAIN_NAME = /^[\p{L}\d_$ -]+$/u;

/** Parses names that are separated by commas. Each may be in quotes and may occur once. Throws `Refusal` for other text. */
function parseNames(parameter: string, text: string): string[] {
  const names = text.split(',').map((item) => {
    const name = item.trim();
    const plain = name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name;
    if (PLAIN_NAME.test(plain)) return plain;
    throw unsupported(`${parameter}=${text}`, 'Name plain columns, separated by commas.');
  });
  if (new Set(names).size === names.length) return names;
  throw unsupported(`${parameter}=${text}`, 'A column is named twice. Name each column once.');
}

function checkColumn(table: Table, column: string): string {
  if (table.columns.has(column)) return column;
  throw new Refusal(400, '42703', `column ${table.name}.${excerpt(column)} does not exist`);
}

function parseSelect(table: Table, text: string | undefined): string {
  if (text === undefined || text === '*') return [...table.columns.keys()].join();
  return parseNames('select', text)
    .map((name) => checkColumn(table, name))
    .join();
}

const ORDER = /^([^.]*)((?:\.(?:asc|desc))?(?:\.nulls(?:first|last))?)$/;

function parseOrder(table: Table, text: string | undefined): string[] {
  if (text === undefined) return [];
  const terms = text.split(',').map((term) => ORDER.exec(term));
  if (terms.includes(null)) {
    throw unsupported(
      `order=${text}`,
      'Write column[.asc|.desc][.nullsfirst|.nullslast], separated by commas.',
    );
  }
  const names = parseNames('order', terms.map((term) => term?.[1]).join(','));
  return names.map((name, at) => `${checkColumn(table, name)}${terms[at]?.[2]}`);
}

const OPERATION = /^([a-z]+)\.(.*)$/s;
/** Matches a value of a list, plain or in quotes with escapes, and the comma or bracket after the value. */
const LIST_VALUE = /(?:"((?:[^"\\]|\\.)*)"|((?:[^,")][^,)]*)?))(,|\)$)/sy;

/** Parses a list of values such as `(a,"b,c",d)`; null for other text. Takes linear time. */
function parseList(text: string): string[] | null {
  if (text === '()') return [];
  if (!text.startsWith('(')) return null;
  const values: string[] = [];
  LIST_VALUE.lastIndex = 1;
  for (let end = ''; end !== ')'; ) {
    const match = LIST_VALUE.exec(text);
    if (match === null) return null;
    const [, quoted, plain = '', next = ''] = match;
    values.push(quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain);
    if (values.length > REST_LIMITS.listItems) return null;
    end = next;
  }
  return values;
}

function parseFilter(table: Table, name: string, text: string): Filter {
  const [, operator, value = ''] = OPERATION.exec(text) ?? [];
  const column = () => checkColumn(table, name);
  const comparison = COMPARISONS.find((each) => each === operator);
  if (comparison !== undefined) return [column(), comparison, value];
  if (operator === 'in') {
    const values = parseList(value);
    if (values !== null) return [column(), 'in', values];
    const hint = `Write in.(a,b), or in.("a","b") for values with commas, with at most ${REST_LIMITS.listItems} values.`;
    throw unsupported(`${name}=${text}`, hint);
  }
  const word = IS_VALUES.find((each) => each === value);
  if (operator === 'is' && word !== undefined) return [column(), 'is', word];
  throw unsupported(
    `${name}=${text}`,
    `Write column=operator.value with one of ${COMPARISONS.join(', ')}, in, or is.${IS_VALUES.join(', is.')}.`,
  );
}

const WHOLE_NUMBER = /^\d{1,15}$/;
const RANGE_HEADER = /^(\d{1,15})-(\d{0,15})$/;
/** Matches a range with another unit than rows, such as bytes. HTTP requires servers to ignore such a range. */
const OTHER_UNIT = /^[a-z]+=/i;

function toCount(name: string, text: string): number {
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw unsatisfiableRange(`${name} must be a whole number from 0, of at most 15 digits.`);
}

function parseRange(
  limit: string | undefined,
  offset: string | undefined,
  header?: string,
): Pick<AnyRead, 'offset' | 'limit'> {
  const most = REST_LIMITS.rows;
  if (header === undefined || OTHER_UNIT.test(header)) {
    const rows = limit === undefined ? most : toCount('limit', limit);
    return { offset: offset === undefined ? 0 : toCount('offset', offset), limit: Math.min(rows, most) };
  }
  if (limit !== undefined || offset !== undefined) {
    throw unsatisfiableRange('Send either a Range header, or limit and offset.');
  }
  const [, first, last] = RANGE_HEADER.exec(header) ?? [];
  const count = last ? Number(last) - Number(first) + 1 : most;
  if (first !== undefined && count > 0) return { offset: Number(first), limit: Math.min(count, most) };
  throw unsatisfiableRange('Write the Range header as first-last, such as 0-9.');
}

const READ_PARAMETERS: readonly string[] = ['select', 'order', 'limit', 'offset'];

/** Parses the query string and the `Range` header of a read. Throws `Refusal`. */
export function parseRead(table: Table, query: string, rangeHeader: string | undefined): AnyRead {
  const parameters = parseParameters(query);
  return {
    table: table.name,
    filters: parameters
      .filter(([name]) => !READ_PARAMETERS.includes(name))
      .map(([name, value]) => parseFilter(table, name, value)),
    columns: parseSelect(table, valueNamed(parameters, 'select')),
    order: parseOrder(table, valueNamed(parameters, 'order')),
    ...parseRange(valueNamed(parameters, 'limit'), valueNamed(parameters, 'offset'), rangeHeader),
  };
}

/** Parses the columns in the query of an insert; null without them: the rows then name them. Throws `Refusal`. */
export function parseInsertColumns(query: string): string[] | null {
  const parameters = parseParameters(query);
  const other = parameters.find(([name]) => name !== 'columns');
  if (other !== undefined) throw unsupported(`${other[0]} of an insert`, 'Leave it out.');
  const columns = valueNamed(parameters, 'columns');
  return columns === undefined ? null : parseNames('columns', columns);
}
