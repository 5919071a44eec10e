import type { Exchange } from '#tests/support/compared-responses.ts';

const encode = (query: string) => query.replaceAll(/[^!-~]|[";<>\\^`{|}]/g, encodeURIComponent);
const TABLE = '/market_indices';
const SUBSCRIBERS = '/email_subscribers';

/** Queries outside the dialect, grouped by feature. PostgREST responds to many of them. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  embedding: [
    'select=symbol,market_metrics(*)',
    'select=*,email_subscribers(email)',
    'select=...market_metrics(*)',
  ],
  'filter on an embedded table': ['market_metrics.id=eq.1', 'email_subscribers.limit=1', 'a.b.order=id'],
  'order by an embedded table': ['order=market_metrics(id).desc'],
  'JSON path': ['select=symbol->a', 'select=symbol->>0', 'order=symbol->a.desc', 'symbol->>a=eq.1'],
  logic: ['or=(id.eq.1,id.gt.0)', 'and=(id.gt.0)', 'not.or=(id.gt.0)', 'or=()', 'and='],
  negation: ['id=not.eq.1', 'source=not.is.null', 'id=not.in.(1,2)', 'id=not.not.eq.1'],
  cast: ['select=id::text', 'select=symbol::json', 'select=name::regclass'],
  alias: ['select=x:symbol', 'select="a b":symbol', 'select=id:symbol'],
  aggregate: ['select=count()', 'select=price.sum()', 'select=price.avg()::text'],
  pattern: [
    ...[
      'like.*a*',
      'ilike.%',
      'match.^.*$',
      'imatch.(a+)+$',
      'isdistinct.a',
      'fts.a',
      'plfts(english).a',
      'wfts.a',
    ],
    ...['like(any).{a,b}', 'eq(any).{a,b}', 'gt(all).{a,b}'],
  ].map((filter) => `symbol=${filter}`),
  operator: ['cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'adj', 'between', 'eqq', '=', 'EQ', 'Is', 'IN'].map(
    (operator) => `price=${operator}.1`,
  ),
  'word of is': ['source=is.NULL', 'source=is.not_null', 'source=is.nullx', 'source=is.'],
  'system column': ['select=ctid,xmin', 'select=tableoid', 'xmin=gt.0', 'order=ctid.desc'],
  expression: [
    ...[
      'select=upper(symbol)',
      "select=symbol||'x'",
      'select=(select 1)',
      'select=price+1',
      'select=id;select 1',
    ],
    ...['order=length(symbol)', 'order=random()', 'order=1;drop table market_indices', 'lower(symbol)=eq.a'],
  ],
  list: [
    'select=,id',
    'select=)',
    'select=*x',
    'select=*,id',
    'select=id!id',
    'select=',
    'order=',
    'order=id,',
  ],
  'something twice': [
    'limit=1&limit=2',
    'select=id&select=id',
    'select=id,id',
    'order=id,id',
    'order=id&order=id',
  ],
  number: [
    'limit=(5)',
    'limit=%205',
    'limit=0x5',
    'limit=1.5',
    'limit=abc',
    'limit=',
    'offset=-1',
    'offset=1e3',
  ],
  'parameter of an insert': ['columns=id', 'on_conflict=id'],
  'too much': [
    `select=${'*,'.repeat(30)}*`,
    `order=${'id.desc,'.repeat(100)}id`,
    `id=in.(${'1,'.repeat(100)}1)`,
    Array.from({ length: 41 }, () => 'id=gt.0').join('&'),
  ],
};

/** Queries that are not encoded correctly. PostgREST may never respond to them. */
const BROKEN = [
  'name=eq.%ff',
  'name=eq.%c0%af',
  'name=eq.%ed%a0%80',
  'source=eq.%00',
  'select=id%00',
  '%fe=eq.1',
  'id',
];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Accept-Profile': [
    'collector',
    'mailer',
    'pg_catalog',
    'information_schema',
    'PUBLIC',
    'public,mailer',
    '',
  ],
  Accept: [
    ...[
      'text/csv',
      'application/geo+json',
      'application/openapi+json',
      'application/vnd.pgrst.plan+json',
      'text/xml',
    ],
    ...['application/octet-stream', 'image/svg+xml', '', 'application/json;nulls=stripped'],
    ...[
      'application/vnd.pgrst.array+json;nulls=stripped',
      'application/vnd.pgrst.object+json;nulls=stripped',
    ],
  ],
  Prefer: [
    ...['count=planned', 'count=estimated', 'count=planned, count=exact', 'timezone=UTC', 'missing=default'],
    ...['handling=strict', 'handling=strict, max-affected=1', 'count=exact, timezone=Asia/Tokyo'],
  ],
  Range: ['0-0,2-2', '0-1, 3-', '-1,0-0', '5-2', 'abc'],
};

const FOREIGN_TABLES = [
  ...[
    'collector.bars',
    'mailer.deliveries',
    'pg_authid',
    'pg_catalog.pg_class',
    'information_schema.tables',
    'runs',
  ],
  ...[
    'job_runs',
    'data_version',
    'settings',
    'public.market_indices',
    'MARKET_INDICES',
    'market_indices%20',
    'rpc',
    '*',
  ],
];
const FUNCTIONS = [
  'version',
  'pg_sleep?seconds=1',
  'mailer.this_hour',
  'pg_read_file',
  'query_to_xml',
  'lo_import',
];
const NO_TABLES = [
  '//',
  `${TABLE}/`,
  `${TABLE}/1`,
  `/${TABLE}`,
  `${TABLE}%2f1`,
  '/%',
  '/%ff',
  '/.',
  '/%2e%2e',
];

const ROW = '{"email":"outside@b.co"}';
const insert = (headers: Record<string, string> = {}, body = ROW, path = SUBSCRIBERS): Exchange => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

const WRITES: readonly Exchange[] = [
  ...[TABLE, SUBSCRIBERS].flatMap((table) =>
    ['PUT', 'PATCH', 'DELETE'].map((method) => ({ ...insert({}, '{"id":1}', `${table}?id=eq.1`), method })),
  ),
  ...['TRACE', 'SEARCH', 'PROPFIND', 'PURGE', 'LOCK'].map((method) => ({ method, path: TABLE })),
  ...['return=representation', 'return=headers-only', 'resolution=merge-duplicates', 'missing=default'].map(
    (Prefer) => insert({ Prefer }),
  ),
  ...['resolution=ignore-duplicates,return=minimal', 'count=planned', 'timezone=UTC', 'handling=strict'].map(
    (Prefer) => insert({ Prefer }),
  ),
  ...['?on_conflict=id', '?select=*', '?id=eq.1', '?columns=absent'].map((query) =>
    insert({}, ROW, SUBSCRIBERS + query),
  ),
  ...['text/csv', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/html', ''].map((type) =>
    insert({ 'Content-Type': type }),
  ),
  ...['mailer', 'collector', 'PUBLIC'].map((schema) => insert({ 'Content-Profile': schema })),
  ...FOREIGN_TABLES.map((name) => insert({}, ROW, `/${name}`)),
  ...FUNCTIONS.map((name) => insert({}, '{}', `/rpc/${name}`)),
  insert({}, JSON.stringify(Array.from({ length: 101 }, (_, at) => ({ email: `a${at}@b.co` })))),
  insert({}, JSON.stringify({ email: 'outside@b.co', is_active: 'x'.repeat(4_096) })),
  insert({}, `${'['.repeat(2_000)}${']'.repeat(2_000)}`),
];

/** Reads outside the dialect that PostgREST accepts, or might accept. */
export const OUTSIDE_QUERIES: readonly Exchange[] = Object.values(QUERIES)
  .flat()
  .map((query) => ({ path: `${TABLE}?${encode(query)}` }));

const OTHER_READS: readonly Exchange[] = [
  ...BROKEN.map((query) => ({ path: `${TABLE}?${query}` })),
  ...Object.entries(HEADERS).flatMap(([name, values]) =>
    values.map((value) => ({ path: TABLE, headers: { [name]: value } })),
  ),
  { path: `${TABLE}?limit=1`, headers: { Range: '0-1' } },
  ...FOREIGN_TABLES.map((name) => ({ path: `/${name}?limit=1` })),
  ...FUNCTIONS.map((name) => ({ path: `/rpc/${name}` })),
  ...NO_TABLES.map((path) => ({ path })),
];

/** Requests that the gate refuses, alone and beside parts of the dialect. */
export const OUTSIDE_REQUESTS: readonly Exchange[] = [
  ...OUTSIDE_QUERIES,
  ...OTHER_READS,
  ...OUTSIDE_QUERIES.map(({ path }) => ({ path: `${path}&id=gt.0`, headers: { Prefer: 'count=exact' } })),
  ...OUTSIDE_QUERIES.map(({ path }) => ({ path, method: 'HEAD' })),
  ...WRITES,
];
