import type { Table } from '#server/rest/exposed-tables.ts';
import type { Dice } from '#tests/support/dice.ts';
import { addressOf, type Generated, headersOf } from './generated-requests.ts';
import { ODD_TEXTS } from './odd-rows.ts';

/** Some values of each column of each table as text, as the database writes them; null for null. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, readonly (string | null)[]>>;

export const COMPARISONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;
export const OPERATORS = [...COMPARISONS, 'in', 'is'] as const;

const ODD_NUMBERS = [
  '0', '-0', '1', '-1', '+4', '007', ' 5 ', '1.5', '.5', '5.', '1e3', '1E-7', '1e308', '1e309', '0x1F', '1_000', '1,5', '2147483648',
  '9223372036854775807', '9223372036854775808', '-9223372036854775809', 'NaN', 'nan', 'Infinity', '-inf', '', 'abc', '٣', '1 2',
]; // biome-ignore format: a list to read along
const ODD_INSTANTS = [
  '2026-11-13', '2026-11-13T21:00:00Z', '2026-11-13 21:00:00+00', '2026-11-12T05:00:00.000Z', '2026-11-13 16:00 America/New_York',
  '2026-11-13T21:00:00.1234567Z', '20261113T210000Z', '2026-02-30', '2026-11-13T24:00:00Z', '2026-11-13T25:00Z', 'infinity', '-infinity',
  'epoch', 'J2460000', '0044-03-15 BC', '294277-01-01', '13/11/2026', '', 'soon', '2026-11-13T21:00:00+05:30',
]; // biome-ignore format: a list to read along
const ODD_TRUTHS = ['true', 'FALSE', 't', 'no', '1', '0', 'on', ' off ', '', 'maybe', '2'];

function oddValuesOf(type: string): readonly string[] {
  if (/^(date|time)/.test(type)) return ODD_INSTANTS;
  if (type === 'boolean') return ODD_TRUTHS;
  return type === 'text' ? [...ODD_TEXTS, '', 'x'.repeat(300)] : ODD_NUMBERS;
}

interface Ground {
  dice: Dice;
  table: Table;
  samples: Samples;
}

function valueFor({ dice, table, samples }: Ground, column: string): string {
  const known =
    samples
      .get(table.name)
      ?.get(column)
      ?.filter((text) => text !== null) ?? [];
  const odd = oddValuesOf(table.columns.get(column) ?? 'text');
  if (known.length > 0 && dice.chance(0.88)) return dice.pick(known);
  return dice.pick(dice.chance(0.85) ? odd : ODD_TEXTS);
}

/** A column. Rare types are as likely as common ones. */
function columnOf({ dice, table }: Ground): string {
  const type = dice.pick([...new Set(table.columns.values())]);
  return dice.pick([...table.columns].filter(([, other]) => other === type))[0];
}

/** A name similar to a column's that no column has. */
function misspelled({ dice, table }: Ground): string {
  const name = dice.pick([...table.columns.keys()]);
  const at = dice.below(name.length + 1);
  return `${name.slice(0, at)}${dice.pick(['x', '_', 'é'])}${name.slice(at)}`;
}

function listFor(ground: Ground, column: string): string {
  const { dice } = ground;
  const length = dice.weigh([
    [1, 0],
    [4, 1],
    [4, 3],
    [1, 12],
  ]);
  const values = Array.from({ length }, () => valueFor(ground, column));
  // To PostgREST, a list with one empty value is empty.
  if (values.every((value) => value === '')) return '()';
  const written = values.map((value) =>
    /[,)]|^[\s"]/.test(value) || dice.chance(0.4) ? `"${value.replaceAll(/[\\"]/g, '\\$&')}"` : value,
  );
  return `(${written.join(',')})`;
}

function truthFor({ dice, table }: Ground, column: string): string {
  const fits = table.columns.get(column) === 'boolean' || dice.chance(0.1);
  return fits ? dice.pick(['true', 'false', 'unknown', 'null']) : 'null';
}

function filterOn(ground: Ground, column: string): { text: string; operator: string } {
  const operator = ground.dice.weigh([
    ...COMPARISONS.map((comparison) => [1, comparison] as const),
    [2, 'in'],
    [1.5, 'is'],
  ]);
  const values = { in: listFor, is: truthFor } as const;
  const value = operator === 'in' || operator === 'is' ? values[operator] : valueFor;
  return { text: `${operator}.${value(ground, column)}`, operator };
}

function selectOf({ dice, table }: Ground): string | null {
  const columns = dice.some([...table.columns.keys()], 1 + dice.below(5));
  return dice.weigh([
    [3, null],
    [3, '*'],
    [12, columns.map((column) => (dice.chance(0.1) ? `"${column}"` : column)).join(',')],
  ]);
}

function orderOf({ dice, table }: Ground): string | null {
  if (dice.chance(0.2)) return null;
  const columns = dice.some([...table.columns.keys()], 1 + dice.below(3));
  // The id comes last, so that no two rows are equal.
  return [...columns.filter((column) => column !== 'id'), 'id']
    .map(
      (column) =>
        column + dice.pick(['', '.asc', '.desc']) + dice.pick(['', '', '.nullsfirst', '.nullslast']),
    )
    .join(',');
}

const LIMITS = ['0', '1', '1', '2', '3', '5', '10', '11', '100', '1000', '1001', '5000', '007'];
const OFFSETS = ['0', '0', '1', '2', '5', '30', '33', '34', '1000', '1199', '1200', '5000'];
const RANGES = ['0-0', '0-9', '1-', '5-20', '10-2', '0-999', '34-', '33-40', 'items=0-1', '0-', '1200-1300'];

const READ_HEADERS = {
  Prefer: [
    [30, null],
    [9, 'count=exact'],
    [1, 'return=minimal'],
    [1, 'foo=bar'],
  ],
  Accept: [
    [40, null],
    [4, 'application/json'],
    [3, '*/*'],
    [9, 'application/vnd.pgrst.object+json'],
    [1, 'application/vnd.pgrst.array+json'],
    [1, 'application/json;charset=utf-8'],
    [1, 'text/html, application/json;q=0.9, */*;q=0.8'],
  ],
  'Accept-Profile': [
    [20, null],
    [1, 'public'],
  ],
  Origin: [
    [10, null],
    [1, 'https://site.example'],
  ],
} as const;

/**
 * Faults that the gate detects before the database. At most one per request: with two, only the first would be
 * reported.
 */
const FAULTS = ['column to read', 'column to filter', 'column to order', 'table', 'type', 'schema'] as const;

/** A read of a table in the dialect, sometimes with a fault that PostgREST refuses as well. */
export function generateRead(dice: Dice, tables: readonly Table[], samples: Samples): Generated {
  // Reads of subscribers are rare, because nobody has the right to read them.
  const table = dice.weigh(
    tables.map((each) => [each.name === 'email_subscribers' ? 0.3 : 1, each] as const),
  );
  const ground = { dice, table, samples };
  const fault = dice.chance(0.12) ? dice.pick(FAULTS) : null;
  const name = fault === 'table' ? 'absent' : table.name;
  const of = [`table:${name}`];
  const filters: (readonly [string, string])[] = [];
  // Postgres reports the first of an unknown column and a wrong value, so a request has only one of them.
  const count = dice.weigh([
    [8, 0],
    [6, 1],
    [2, 2],
    [0.5, 4],
  ]);
  for (let at = 0; at < count && !fault?.startsWith('column'); at += 1) {
    const column = columnOf(ground);
    const { text, operator } = filterOn(ground, column);
    of.push(`operator:${operator}`, `${operator} on ${table.columns.get(column)}`);
    filters.push([column, text]);
  }
  if (fault === 'column to filter') filters.push([misspelled(ground), 'eq.1']);
  const headers = headersOf(dice, READ_HEADERS);
  if (fault === 'type') headers.Accept = dice.pick(['text/html', 'image/png, text/html;q=0.4']);
  if (fault === 'schema') headers['Accept-Profile'] = dice.pick(['collector', 'pg_catalog']);
  const method = dice.weigh([
    [9, 'GET'],
    [1, 'HEAD'],
  ]);
  const isSingle = headers.Accept?.includes('pgrst.object');
  const isRange = fault === null && dice.chance(0.06);
  if (isRange) headers.Range = dice.pick(RANGES);
  const limit = dice.chance(isSingle ? 0.85 : 0.4) ? '1' : dice.pick(LIMITS);
  const named = [
    ['select', fault === 'column to read' ? `id,${misspelled(ground)}` : selectOf(ground)],
    ['order', fault === 'column to order' ? misspelled(ground) : orderOf(ground)],
    ['limit', !isRange && (isSingle || dice.chance(0.5)) ? limit : null],
    // PostgREST does not accept an offset without rows as a range.
    ['offset', !isRange && limit !== '0' && dice.chance(0.1) ? dice.pick(OFFSETS) : null],
  ] as const;
  const given = named.flatMap(([parameter, value]) => (value === null ? [] : [[parameter, value] as const]));
  const parameters = dice.some([...given, ...filters], given.length + filters.length);
  of.push(method);
  if (isSingle) of.push('one object');
  return { exchange: { method, path: addressOf(dice, name, parameters), headers }, of };
}
