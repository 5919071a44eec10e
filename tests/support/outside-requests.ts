import type { Table } from '#server/rest/tables.ts';
import type { Exchange } from './compared-answers.ts';
import type { Dice } from './dice.ts';
import { addressOf, type Generated } from './generated-requests.ts';

type Parameters = readonly (readonly [string, string])[];

/** What a request outside the dialect is made with. */
interface Ground {
  dice: Dice;
  table: string;
  /** A column of text, one of numbers and any one. */
  text: string;
  number: string;
  any: string;
}

const read = (parameters: Parameters, headers: Record<string, string | string[]> = {}) => ({
  parameters,
  headers,
});
type Part = ReturnType<typeof read>;

const FOREIGN_TABLES = [
  ...[
    'collector.bars',
    'mailer.deliveries',
    'pg_authid',
    'pg_catalog.pg_class',
    'information_schema.tables',
    'runs',
    'job_runs',
  ],
  ...[
    'data_version',
    'settings',
    'issued_signals',
    'public.market_indices',
    'MARKET_INDICES',
    'market_indices ',
    'rpc',
    '*',
    '.',
    '%2e%2e',
  ],
];
const FUNCTIONS = [
  'version',
  'pg_sleep',
  'current_user',
  'network_of',
  'mailer.this_hour',
  'pg_read_file',
  'query_to_xml',
  'lo_import',
];

/** Each kind of read that PostgREST knows, or might, and the gate does not. */
const READS: Readonly<Record<string, (ground: Ground) => Part>> = {
  embedding: ({ dice, text }) =>
    read([
      [
        'select',
        dice.pick([
          `${text},market_metrics(*)`,
          '*,email_subscribers(email)',
          '...market_metrics(*)',
          'm:market_metrics!inner(id)',
        ]),
      ],
    ]),
  'filter on what is embedded': ({ dice, number }) =>
    read([
      [
        dice.pick(['market_metrics', 'email_subscribers', 'a.b']) +
          dice.pick(['.id', `.${number}`, '.limit', '.order', '.offset']),
        dice.pick(['eq.1', '1', 'id']),
      ],
    ]),
  'order by what is embedded': () => read([['order', 'market_metrics(id).desc']]),
  'json path': ({ dice, text }) =>
    dice.pick([
      read([['select', `${text}->a`]]),
      read([['select', `${text}->>0`]]),
      read([['order', `${text}->a.desc`]]),
      read([[`${text}->>a`, 'eq.1']]),
    ]),
  logic: ({ dice, number, text }) =>
    read([
      [
        dice.pick(['and', 'or', 'not.and', 'not.or']),
        dice.pick([
          `(${number}.gt.0,id.gt.0)`,
          `(id.eq.1,or(${text}.is.null,id.gt.0))`,
          '(id.gt.0)',
          '()',
          '',
        ]),
      ],
    ]),
  cast: ({ dice, any }) => read([['select', `${any}::${dice.pick(['text', 'json', 'regclass', 'int'])}`]]),
  alias: ({ dice, any }) => read([['select', dice.pick([`x:${any}`, `"a b":${any}`, `id:${any}`])]]),
  aggregate: ({ dice, number }) =>
    read([['select', dice.pick(['count()', `${number}.sum()`, `${number}.max()`, `${number}.avg()::text`])]]),
  operator: ({ dice, text, number }) =>
    read([
      dice.weigh([
        [
          4,
          [
            text,
            `${dice.pick(['', 'not.'])}${dice.pick(['like', 'ilike', 'match', 'imatch', 'isdistinct', 'fts', 'plfts(english)', 'phfts', 'wfts'])}.${dice.pick(['*a*', 'a', '%', '.*', '(a+)+$', '^.*$'])}`,
          ] as const,
        ],
        [
          2,
          [
            text,
            `${dice.pick(['like', 'ilike', 'eq', 'gt', 'neq'])}(${dice.pick(['any', 'all'])}).{a,b}`,
          ] as const,
        ],
        [
          2,
          [
            number,
            `${dice.pick(['cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj', 'between', 'regex', 'eqq', '=', 'EQ', 'Is', 'IN'])}.1`,
          ] as const,
        ],
      ]),
    ]),
  'system column': ({ dice }) =>
    read([
      dice.pick([
        ['select', 'ctid,xmin'],
        ['select', 'tableoid'],
        ['xmin', 'gt.0'],
        ['order', 'ctid.desc'],
      ] as const),
    ]),
  expression: ({ dice, any, number }) =>
    read([
      dice.pick([
        ['select', `upper(${any})`],
        ['select', `${any}||'x'`],
        ['select', '(select 1)'],
        ['select', `${number}+1`],
        ['select', 'id;select 1'],
        ['order', `length(${any})`],
        ['order', 'random()'],
        ['order', '1;drop table market_indices'],
        [`lower(${any})`, 'eq.a'],
        ['select', '*/**/'],
      ] as const),
    ]),
  'another schema': ({ dice }) =>
    read([], {
      'Accept-Profile': dice.pick([
        'collector',
        'mailer',
        'operations',
        'pg_catalog',
        'information_schema',
        'PUBLIC',
        'public,mailer',
        '',
      ]),
    }),
  'another media type': ({ dice }) =>
    read([], {
      Accept: dice.pick([
        'text/csv',
        'application/geo+json',
        'application/openapi+json',
        'application/vnd.pgrst.plan+json',
        'application/octet-stream',
        'text/xml',
        'application/json;nulls=stripped',
        'application/vnd.pgrst.array+json;nulls=stripped',
        'image/svg+xml',
        '',
      ]),
    }),
  preference: ({ dice }) =>
    read([], {
      Prefer: dice.pick([
        'count=planned',
        'count=estimated',
        'timezone=America/New_York',
        'timezone=UTC',
        'handling=strict, count=planned',
        'handling=strict, max-affected=1',
        'handling=strict, plurality=singular',
        'count=exact, timezone=Asia/Tokyo',
        'count=planned, count=exact',
      ]),
    }),
  negation: ({ dice, any }) => read([[any, `not.${dice.pick(['eq.1', 'is.null', 'in.(1,2)'])}`]]),
  'a parameter twice': ({ dice }) =>
    read(
      dice.pick([
        [
          ['limit', '1'],
          ['limit', '2'],
        ],
        [
          ['select', 'id'],
          ['select', 'id'],
        ],
      ] as const),
    ),
  'a column twice': ({ dice, any }) => read([[dice.pick(['select', 'order']), `${any},${any}`]]),
  'a range twice': ({ dice }) => read([[dice.pick(['limit', 'offset']), '1']], { Range: '0-1' }),
  'odd number': ({ dice }) =>
    read([[dice.pick(['limit', 'offset']), dice.pick(['(5)', ' 5', '0x5', '- 1', '1.5', 'abc', '', '1e3'])]]),
  'two accepts': ({ dice }) =>
    read([], {
      Accept: dice.pick([
        ['application/json', 'application/vnd.pgrst.object+json'],
        ['text/csv', 'application/json'],
        ['*/*', '*/*'],
      ]),
    }),
  'several ranges': ({ dice }) => read([], { Range: dice.pick(['0-0,2-2', '0-1, 3-', '-1,0-0']) }),
  'odd list': ({ dice, any }) =>
    read([
      dice.pick([
        ['select', ',id'],
        ['select', ')'],
        ['select', '*x'],
        ['select', `${any}!id`],
        ['select', '!'],
      ] as const),
    ]),
  overlong: ({ dice, any }) =>
    dice.pick([
      read([['select', Array.from({ length: 101 }, () => any).join(',')]]),
      read([['select', Array.from({ length: 30 }, () => '*').join(',')]]),
      read([['order', Array.from({ length: 101 }, () => `${any}.desc`).join(',')]]),
      read([['id', `in.(${Array.from({ length: 101 }, (_, at) => at).join(',')})`]]),
      read(Array.from({ length: 41 }, () => ['id', 'gt.0'] as const)),
    ]),
};

/** Queries whose encoding is none of a text. */
const BROKEN_TEXT = [
  'name=eq.%ff',
  'name=eq.%c0%af',
  'name=eq.%ed%a0%80',
  'source=eq.%00',
  'select=id%00',
  'name=eq.%f8%88%80%80%80',
  '%fe=eq.1',
];

const WRITES: Readonly<Record<string, (ground: Ground) => Exchange>> = {
  'change or removal': ({ dice, table }) => ({
    method: dice.pick(['PUT', 'PATCH', 'DELETE']),
    path: `/${dice.pick([table, 'email_subscribers'])}?id=eq.1`,
    headers: {
      'Content-Type': 'application/json',
      Prefer: dice.pick(['return=representation', 'return=minimal', 'resolution=merge-duplicates']),
    },
    body: dice.pick(['{"id":1}', '{"is_active":false}', '[]', '']),
  }),
  'another method': ({ dice, table }) => ({
    method: dice.pick(['TRACE', 'SEARCH', 'PROPFIND', 'PURGE', 'LOCK']),
    path: `/${table}`,
  }),
  'insert with more than an insert': ({ dice }) => ({
    method: 'POST',
    path: `/email_subscribers${dice.pick(['', '?on_conflict=id', '?select=*', '?columns=email'])}`,
    headers: {
      'Content-Type': 'application/json',
      Prefer: dice.pick([
        'return=representation',
        'return=headers-only',
        'resolution=merge-duplicates',
        'resolution=ignore-duplicates,return=minimal',
        'count=planned',
        'timezone=Europe/Berlin',
        'return=representation,count=exact',
        'handling=strict,max-affected=0',
      ]),
    },
    body: `{"email":"outside${dice.below(1e6)}@b.co"}`,
  }),
  'insert that is no JSON': ({ dice }) => ({
    method: 'POST',
    path: '/email_subscribers',
    headers: {
      'Content-Type': dice.pick([
        'text/csv',
        'application/x-www-form-urlencoded',
        'application/vnd.pgrst.array+json',
        'multipart/form-data',
        'text/html',
        '',
      ]),
    },
    body: dice.pick(['email\noutside@b.co', 'email=outside%40b.co', '[{"email":"outside@b.co"}]']),
  }),
  'overlong insert': ({ dice }) => ({
    method: 'POST',
    path: '/email_subscribers',
    headers: { 'Content-Type': 'application/json' },
    body: dice.pick([
      JSON.stringify(Array.from({ length: 101 }, (_, at) => ({ email: `a${at}@b.co` }))),
      JSON.stringify({ email: 'outside@b.co', is_active: 'x'.repeat(4_096) }),
      `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
    ]),
  }),
  'insert elsewhere': ({ dice }) => ({
    method: 'POST',
    path: `/${dice.pick(FOREIGN_TABLES.filter((name) => name !== 'market_indices '))}`,
    headers: {
      'Content-Type': 'application/json',
      ...(dice.chance(0.3) && { 'Content-Profile': dice.pick(['mailer', 'collector', 'PUBLIC']) }),
    },
    body: '{"email":"outside@b.co"}',
  }),
  function: ({ dice }) => ({
    method: dice.pick(['GET', 'POST']),
    path: `/rpc/${dice.pick(FUNCTIONS)}${dice.pick(['', '?seconds=1', '?address=203.0.113.9'])}`,
    headers: { 'Content-Type': 'application/json', Prefer: 'params=single-object' },
  }),
  'another table': ({ dice }) => ({ path: `/${encodeURI(dice.pick(FOREIGN_TABLES))}?limit=1` }),
  'no table': ({ dice, table }) => ({
    path: dice.pick(['', '/', `/${table}/`, `/${table}/1`, `//${table}`, `/${table}%2f1`, '/%', '/%ff']),
  }),
  'broken text': ({ dice, table }) => ({ path: `/${table}?${dice.pick(BROKEN_TEXT)}` }),
};

const KINDS = [...Object.keys(READS), ...Object.keys(WRITES)];

function groundOn(dice: Dice, table: Table): Ground {
  const columns = [...table.columns];
  const ofType = (pattern: RegExp) =>
    columns.filter(([, type]) => pattern.test(type)).map(([column]) => column);
  return {
    dice,
    table: table.name,
    text: dice.pick(ofType(/^text/)),
    number: dice.pick(ofType(/^(double|integer|bigint)/)),
    any: dice.pick(columns)[0],
  };
}

/** A request outside the dialect, of each kind in turn, beside parts that are inside. */
export function generateOutside(dice: Dice, tables: readonly Table[], at: number): Generated {
  const kind = KINDS[at % KINDS.length] ?? '';
  const ground = groundOn(dice, dice.pick(tables));
  const write = WRITES[kind];
  if (write !== undefined) return { exchange: write(ground), of: [kind] };
  const { parameters, headers } = READS[kind]?.(ground) ?? read([]);
  const beside = dice.some(
    [
      ['limit', '3'],
      ['order', 'id.desc'],
      ['id', 'gt.0'],
      ['select', 'id'],
    ] as const,
    dice.below(3),
  );
  const named = new Set(parameters.map(([name]) => name));
  const all = [...parameters, ...beside.filter(([name]) => !named.has(name))];
  const method = dice.chance(0.95) ? 'GET' : 'HEAD';
  // A range is heeded for GET only.
  const exchange = {
    method: headers.Range ? 'GET' : method,
    path: addressOf(dice, ground.table, dice.some(all, all.length)),
    headers,
  };
  return { exchange, of: [kind] };
}

/** The kinds that come up. */
export const OUTSIDE_KINDS: readonly string[] = KINDS;
