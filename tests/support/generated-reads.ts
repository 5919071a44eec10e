import type { Table } from '#server/rest/tables.ts';
import type { Dice } from './dice.ts';
import { addressOf, type Generated, headersOf } from './generated-requests.ts';
import { ODD_TEXTS } from './odd-rows.ts';

/** Of each column of each table some values as text, as the database writes them; null where it is null. */
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
  /**
   * Whether filters and orders may name what is no column. Then no truth is asked of what has none, since Postgres tells of
   * whichever of the two faults stands first, and the gate of the column.
   */
  slips: boolean;
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

/** A column, those of a type that few have as often as others. */
function columnOf({ dice, table }: Ground): string {
  const type = dice.pick([...new Set(table.columns.values())]);
  return dice.pick([...table.columns].filter(([, other]) => other === type))[0];
}

/** A name that is none of the columns, often one of them with a slip or a few. */
function slipOf({ dice, table }: Ground): string {
  let name = dice.pick(['absent', ...table.columns.keys()]);
  for (let slips = 1 + dice.below(4); slips > 0; slips -= 1) {
    const at = dice.below(name.length + 1);
    name = `${name.slice(0, at)}${dice.pick(['', 'x', 'e', '_', 'é'])}${name.slice(at + dice.below(2))}`;
  }
  return name === '' || table.columns.has(name) ? 'absent' : name;
}

function listOf(ground: Ground, column: string): string {
  const { dice } = ground;
  const values = Array.from(
    {
      length: dice.weigh([
        [1, 0],
        [4, 1],
        [4, 3],
        [1, 12],
      ]),
    },
    () => valueFor(ground, column),
  );
  const written = values.map((value) => {
    const needsQuotes = /[,)]|^"/.test(value);
    if (!needsQuotes && dice.chance(0.6)) return value;
    return dice.chance(0.97) ? `"${value.replaceAll(/[\\"]/g, '\\$&')}"` : `"${value}"`;
  });
  return `(${written.join(',')})`;
}

function truthFor({ dice, table, slips }: Ground, column: string): string {
  const words =
    table.columns.get(column) === 'boolean' || (!slips && dice.chance(0.1))
      ? ['true', 'false', 'unknown', 'null']
      : ['null'];
  const word = dice.pick(words);
  return dice.weigh([
    [6, word],
    [1, word.toUpperCase()],
    [1, `${word.charAt(0).toUpperCase()}${word.slice(1)}`],
  ]);
}

/** A filter that the gate has to refuse as PostgREST does. */
function brokenFilter({ dice }: Ground): string {
  return dice.pick([
    '1',
    '',
    'eq',
    'EQ.1',
    'in.1',
    'in.(1',
    'is.',
    'is.nul',
    'not.1',
    'notx',
    'is.trux',
    'foo.1',
    'in',
    'not.',
  ]);
}

function filterOn(ground: Ground, column: string): { text: string; operator: string } {
  const { dice } = ground;
  if (dice.chance(0.01)) return { text: brokenFilter(ground), operator: 'broken' };
  const operator = dice.weigh([
    ...COMPARISONS.map((comparison) => [1, comparison] as const),
    [2, 'in'],
    [1.5, 'is'],
  ]);
  const values = { in: listOf, is: truthFor } as const;
  const value = operator === 'in' || operator === 'is' ? values[operator] : valueFor;
  return { text: `${dice.chance(0.2) ? 'not.' : ''}${operator}.${value(ground, column)}`, operator };
}

function selectOf(ground: Ground): string | null {
  const { dice, table } = ground;
  const columns = [...table.columns.keys()];
  const some = dice.some(columns, 1 + dice.below(5));
  const written = some.map((column) =>
    dice.weigh([
      [20, column],
      [1, `"${column}"`],
      [1, ` ${column} `],
    ]),
  );
  return dice.weigh([
    [3, null],
    [3, '*'],
    [12, written.join(',')],
    [1, [...written, dice.pick(some)].join(',')],
    [1, ['*', ...written].join(',')],
    [0.6, [...written, slipOf(ground)].join(',')],
    [0.4, dice.pick(['', 'id,', 'id,,source', 'Id', 'id-source', '"', 'id source'])],
  ]);
}

function orderOf({ dice, table, slips }: Ground): string | null {
  const columns = dice.some([...table.columns.keys()], 1 + dice.below(3));
  const directions = ['', '.asc', '.desc'];
  const nulls = ['', '', '.nullsfirst', '.nullslast'];
  // The last one leaves nothing open: what is alike by the others may come in any order.
  const terms = [...columns.filter((column) => column !== 'id'), 'id'].map(
    (column) => `${column}${dice.pick(directions)}${dice.pick(nulls)}`,
  );
  const broken = [
    ...(slips ? ['absent', 'ID'] : []),
    '',
    'id,',
    'id.',
    'id.up',
    'id.desc.asc',
    'id.desc.nulls',
    'id.nullsfirst.desc',
    '*',
  ];
  return dice.weigh([
    [6, null],
    [20, terms.join(',')],
    [1, terms.join(', ')],
    [0.6, dice.pick(broken)],
  ]);
}

const LIMITS = [
  '0',
  '1',
  '1',
  '2',
  '3',
  '5',
  '10',
  '11',
  '100',
  '1000',
  '1001',
  '5000',
  '007',
  '-1',
  'abc',
  '',
  '1.5',
  '99999999999999999999',
];
const OFFSETS = [
  '0',
  '0',
  '1',
  '2',
  '5',
  '30',
  '33',
  '34',
  '1000',
  '1199',
  '1200',
  '5000',
  '-1',
  'abc',
  '',
  '9223372036854775808',
];
const RANGES = [
  '0-0',
  '0-9',
  '1-',
  '5-20',
  '10-2',
  '0-999',
  '34-',
  '33-40',
  'items=0-1',
  'abc',
  '-1',
  '0-',
  '1200-1300',
];

const READ_HEADERS = {
  Prefer: [
    [30, null],
    [9, 'count=exact'],
    [1, 'return=minimal'],
    [1, 'handling=strict'],
    [1, 'handling=strict, count=exact'],
    [1, 'count=exact,handling=lenient'],
    [1, 'handling=strict, foo=bar'],
    [1, 'missing=default'],
    [1, 'foo=bar'],
  ],
  Accept: [
    [40, null],
    [4, 'application/json'],
    [3, '*/*'],
    [9, 'application/vnd.pgrst.object+json'],
    [1, 'application/vnd.pgrst.object'],
    [1, 'application/vnd.pgrst.array+json'],
    [1, 'application/json;charset=utf-8'],
    [1, 'text/html, application/json;q=0.9, */*;q=0.8'],
    [1, '*/*, application/vnd.pgrst.object+json'],
    [1, 'application/json;q=0.2, application/vnd.pgrst.object+json;q=0.7'],
    [1, 'text/html'],
    [1, 'image/png, text/html;q=0.4'],
  ],
  'Accept-Profile': [
    [20, null],
    [1, 'public'],
    [0.3, 'collector'],
    [0.3, 'pg_catalog'],
  ],
  Origin: [
    [10, null],
    [1, 'https://site.example'],
  ],
} as const;

/** A read of a table, or a try at one that has to be refused as PostgREST refuses it. */
export function generateRead(dice: Dice, tables: readonly Table[], samples: Samples): Generated {
  // Nobody reads subscribers: no more than a few of the answers are to say so.
  const table = dice.weigh(
    tables.map((each) => [each.name === 'email_subscribers' ? 0.3 : 1, each] as const),
  );
  const ground = { dice, table, samples, slips: dice.chance(0.2) };
  const name = dice.chance(0.98) ? table.name : 'absent';
  const of = [`table:${name}`];
  const filters = Array.from(
    {
      length: dice.weigh([
        [8, 0],
        [6, 1],
        [2, 2],
        [0.5, 4],
      ]),
    },
    () => {
      const column = ground.slips && dice.chance(0.15) ? slipOf(ground) : columnOf(ground);
      const { text, operator } = filterOn(ground, column);
      of.push(`operator:${operator}`, `${operator} on ${table.columns.get(column) ?? 'what is not there'}`);
      return [dice.chance(0.03) ? `"${column}"` : column, text] as const;
    },
  );
  const headers = headersOf(dice, READ_HEADERS);
  const method = dice.weigh([
    [9, 'GET'],
    [1, 'HEAD'],
  ]);
  if (dice.chance(0.06)) headers.Range = dice.pick(RANGES);
  const isSingle = headers.Accept?.includes('pgrst.object');
  const limit = dice.chance(isSingle ? 0.85 : 0.4) ? '1' : dice.pick(LIMITS);
  const named = [
    ['select', selectOf(ground)],
    ['order', orderOf(ground)],
    ['limit', isSingle || dice.chance(0.5) ? limit : null],
    ['offset', dice.chance(0.1) ? dice.pick(OFFSETS) : null],
  ] as const;
  const given = named.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  const parameters = dice.some([...given, ...filters], given.length + filters.length);
  of.push(method);
  if (isSingle) of.push('one object');
  return { exchange: { method, path: addressOf(dice, name, parameters), headers }, of };
}
