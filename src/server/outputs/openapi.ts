import { fieldOf, SHOWN_TABLES, type ShownTable } from '#record/ledger/shown.ts';
import { MARKET_SOURCES } from '#schema/market-source.ts';
import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import { STATE_HEADERS } from '../http/open-headers.ts';
import type { Table, Tables } from '../rest/exposed-tables.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const instant: Schema = { type: 'string', format: 'date-time' };
const day: Schema = { type: 'string', format: 'date' };
const score: Schema = { type: 'number', minimum: 0, maximum: 100 };
const share: Schema = { type: 'number', minimum: 0, maximum: 1 };
const address: Schema = { type: 'string', format: 'uri' };
const verdict: Schema = { enum: ['BUY', 'HOLD', 'SELL'] };
const source: Schema = { enum: [...MARKET_SOURCES] };
const count: Schema = { type: 'integer', minimum: 0 };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: Schema): Schema => ({ type: 'array', items });

/** The schema of an object with exactly these fields. The fields in `optional` may be absent. */
const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const STATE = {
  as_of: orNull(instant),
  sessions_behind: orNull(count),
  next_due: orNull(instant),
  source: orNull(source),
  formula_version: text,
};

const SIGNAL = object({
  ...STATE,
  demonstration: { type: 'boolean' },
  session: orNull(day),
  verdict: orNull(verdict),
  score: orNull(score),
  range: orNull(object({ low: score, high: score })),
  inputs: list(
    object({
      input: text,
      name: text,
      weight_percent: orNull(score),
      score: orNull(score),
      session: orNull(day),
    }),
  ),
  next: orNull(object({ verdict, points: orNull({ type: 'number' }) })),
  week_ago: orNull(object({ session: day, verdict, change: orNull({ type: 'number' }) })),
  fear_greed: orNull(object({ value: score, label: text, session: day })),
  risk: orNull(
    object({
      ...{ session: day, inputs: { enum: ['vix and closes', 'closes'] } },
      weekly_move: object({ low: share, middle: share, high: share }),
      ...{ worst_line: { type: 'number', minimum: -1, maximum: 0.5 }, fall_probability: share },
    }),
  ),
  disclaimer: text,
  page: address,
});

/** The schema of our JSON Feed 1.1 (jsonfeed.org/version/1.1). */
const FEED = object({
  version: { const: 'https://jsonfeed.org/version/1.1' },
  title: text,
  description: text,
  home_page_url: address,
  feed_url: address,
  icon: address,
  language: { const: 'en' },
  authors: list(object({ name: text, url: address })),
  _data: object(STATE),
  items: list(
    object({
      id: { type: 'string', pattern: '^urn:uuid:[0-9a-f-]{36}$' },
      url: address,
      title: text,
      content_text: text,
      date_published: instant,
    }),
  ),
});

/** The schema of the endpoint badge of shields.io. */
const BADGE = object({
  schemaVersion: { const: 1 },
  label: text,
  message: { type: 'string', minLength: 1 },
  color: { type: 'string', pattern: '^[0-9a-f]{6}$' },
  cacheSeconds: { type: 'integer', minimum: 300 },
});

const OEMBED = object({
  ...{ version: { const: '1.0' }, type: { const: 'rich' }, title: text, html: text },
  ...{ width: { type: 'integer', minimum: 1 }, height: { type: 'integer', minimum: 1 }, cache_age: count },
  ...{ provider_name: text, provider_url: address, description: text, ...STATE },
});

const FAILURE = object({ code: orNull(text), details: orNull(text), hint: orNull(text), message: text });

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const SCHEMA_OF_HEADER: Readonly<Record<keyof typeof STATE_HEADERS, Schema>> = {
  as_of: instant,
  sessions_behind: { type: 'string', pattern: '^\\d+$' },
  next_due: instant,
  source,
  formula_version: text,
};
const header = (description: string, schema: Schema, required = true) => ({ description, required, schema });
const OPEN_ORIGIN = {
  'Access-Control-Allow-Origin': header('Pages of any site may read the response.', { const: '*' }),
};
const AGE = header(
  'Seconds since the data were last known to be current; absent for current data',
  text,
  false,
);
const STATE_OF_RESPONSE = Object.fromEntries(
  (Object.keys(STATE_HEADERS) as (keyof typeof STATE_HEADERS)[]).map((name) => [
    STATE_HEADERS[name],
    header(
      `The value of ${name}; absent if it is unknown`,
      SCHEMA_OF_HEADER[name],
      name === 'formula_version',
    ),
  ]),
);
const OUTPUT_HEADERS = { ...OPEN_ORIGIN, ...STATE_OF_RESPONSE, ETag: header('', text), Age: AGE };

const sentence = (description: string) => ({ description, content: { 'text/plain': { schema: text } } });
const ALWAYS = {
  405: sentence('The method is neither GET nor HEAD'),
  429: sentence('Too many requests; retry after the seconds in Retry-After'),
  500: sentence('An error of the server'),
  503: sentence('The server has no data yet; retry after the seconds in Retry-After'),
};

const UNCHANGED = {
  description: 'Not changed since the ETag in If-None-Match',
  headers: { ETag: header('', text) },
};

const content = (type: string, schema: Schema) => ({ [type]: { schema } });

interface Operation {
  readonly summary: string;
  readonly tag: 'outputs' | 'ledger' | 'agents';
  readonly type: string;
  readonly schema: Schema;
  readonly parameters?: readonly object[];
  /** Descriptions of the refusals besides those that every address has, by status. */
  readonly refusals?: Readonly<Record<number, string>>;
}

/** Describes an address that responds to GET and needs no key. */
const operation = ({ summary, tag, type, schema, parameters = [], refusals = {} }: Operation) => ({
  get: {
    summary,
    tags: [tag],
    security: [],
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: {
        description: summary,
        headers: tag === 'outputs' ? OUTPUT_HEADERS : { ...OPEN_ORIGIN, ETag: header('', text) },
        content: content(type, schema),
      },
      304: UNCHANGED,
      ...Object.fromEntries(Object.entries(refusals).map(([status, why]) => [status, sentence(why)])),
      ...ALWAYS,
    },
  },
});

const output = (summary: string, type: string, schema: Schema) =>
  operation({ summary, tag: 'outputs', type, schema });

const query = (name: string, description: string, schema: Schema, required = false) => ({
  ...{ name, in: 'query', description, required, schema },
});

const OEMBED_OPERATION = operation({
  ...{ summary: 'The embedded card in the oEmbed format', tag: 'outputs' },
  ...{ type: 'application/json', schema: ref('OEmbed') },
  parameters: [
    query('url', 'The address of the dashboard', address, true),
    query('format', 'The value json; another format is refused with 501', text),
    query('maxwidth', 'Maximum width in pixels', count),
    query('maxheight', 'Maximum height in pixels', count),
  ],
  refusals: {
    400: 'A parameter is missing or wrong',
    404: 'The parameter url is not the address of the dashboard',
    501: 'The parameter format is not json',
  },
});

const path = (name: string, description: string, schema: Schema) => ({
  ...{ name, in: 'path', description, required: true, schema },
});

const dayOperation = (summary: string, ...hash: readonly object[]) =>
  operation({
    ...{ summary, tag: 'ledger', type: 'application/json', schema: { type: 'object' } },
    parameters: [path('date', 'The session', day), ...hash],
    refusals: { 404: 'The session was not published on its own day' },
  });

const ledgerFile = (summary: string, type: string, schema: Schema, parameters: readonly object[] = []) =>
  operation({ summary, tag: 'ledger', type, schema, parameters, refusals: { 404: 'There is no such file' } });

const TILE_PARAMETERS = [
  path('level', 'The word entries, or a level of the tree from 0 on', {
    type: 'string',
    pattern: '^(entries|\\d{1,2})$',
  }),
  path('index', 'The number of the tile with three digits; 1234 is x001/234', text),
];
/** A bundle of entries, or hashes of 32 bytes. */
const TILE: Schema = { ...text, contentMediaType: 'application/json', contentSchema: ref('LedgerEntry') };

const LEDGER_PATHS = {
  '/ledger/key': ledgerFile('The public key of the ledger: NAME+ID+KEY', 'text/plain', text),
  '/ledger/checkpoint': ledgerFile(
    'The number of entries and the root hash, signed (c2sp.org/tlog-checkpoint)',
    'text/plain',
    text,
  ),
  '/ledger/tile/{level}/{index}': ledgerFile(
    '256 hashes of a level, or 256 entries with two bytes of length before each (c2sp.org/tlog-tiles)',
    'application/octet-stream',
    TILE,
    TILE_PARAMETERS,
  ),
  '/ledger/tile/{level}/{index}.p/{width}': ledgerFile(
    'The first hashes or entries of a tile that is not full',
    'application/octet-stream',
    TILE,
    [...TILE_PARAMETERS, path('width', 'The number of hashes or entries', { type: 'integer', minimum: 1 })],
  ),
};

/** A message of JSON-RPC 2.0. */
const RPC = { jsonrpc: { const: '2.0' }, id: { type: ['integer', 'string', 'null'] } };
const RPC_REQUEST = object({ ...RPC, method: text, params: { type: 'object' } }, ['id', 'params']);
const RPC_RESPONSE = object(
  {
    ...RPC,
    result: { type: 'object' },
    error: object({ code: { type: 'integer' }, message: text, data: {} }, ['data']),
  },
  ['id', 'result', 'error'],
);

const rpc = (description: string, other: 'text/plain' | 'text/event-stream') => ({
  description,
  headers: OPEN_ORIGIN,
  content: { ...content('application/json', RPC_RESPONSE), ...content(other, text) },
});

const MCP_OPERATION = {
  post: {
    summary: 'Read-only tools for agents (MCP, streamable HTTP without sessions)',
    tags: ['agents'],
    security: [],
    requestBody: { required: true, content: content('application/json', RPC_REQUEST) },
    responses: {
      200: rpc('The response to the call', 'text/event-stream'),
      202: { description: 'A notification, which has no response' },
      400: { ...rpc('The request is not a single valid call', 'text/plain'), headers: {} },
      406: rpc('Accept lacks application/json or text/event-stream', 'text/plain'),
      413: sentence('The request is too long'),
      415: rpc('The content type is not application/json', 'text/plain'),
      ...ALWAYS,
      405: sentence('The method is not POST'),
    },
  },
};

const REBUILT: Schema = {
  enum: ['live', 'rebuilt'],
  description: 'rebuilt if the row was computed later from stored data, when nobody could see it at its time',
};

/** The fields of an entry that equals a row of a public table. An instant has six decimals and ends with Z. */
const entrySchema = (tables: Tables, shown: ShownTable): Schema => {
  const table = tables.get(shown.name);
  const fields = [...(table?.columns ?? [])]
    .filter(([name]) => !shown.unrecorded?.includes(name))
    .map(([name, type]) => [fieldOf(shown, name), table && column(table, name, type)]);
  return {
    type: 'object',
    description: `The entry of a row of ${shown.name}`,
    properties: { origin: REBUILT, ...Object.fromEntries(fields), kind: { const: shown.kind } },
    required: ['kind', ...fields.map(([field]) => field)],
  };
};

const JSON_TYPES: Readonly<Record<string, string>> = {
  ...{ bigint: 'integer', integer: 'integer', smallint: 'integer', boolean: 'boolean' },
  ...{ 'double precision': 'number', numeric: 'number', real: 'number' },
};

const column = (table: Table, name: string, type: string): Schema => {
  const jsonType = JSON_TYPES[type] ?? 'string';
  const schema = { type: jsonType, 'x-postgres-type': type };
  return table.required.includes(name) ? schema : { ...schema, type: [jsonType, 'null'] };
};

/** The schema of a row. No column is required, because a read may select some of the columns. */
const rowSchema = (table: Table): Schema => ({
  type: 'object',
  properties: Object.fromEntries([...table.columns].map(([name, type]) => [name, column(table, name, type)])),
  additionalProperties: false,
});

const TABLE_PARAMETERS = {
  select: query('select', 'Names of the columns, such as a,b', text),
  order: query('order', 'Order of the rows, such as a.desc.nullslast,b', text),
  limit: query('limit', 'Maximum number of rows, 1,000 at most', text),
  offset: query('offset', 'Number of rows to skip', text),
};

const failure = (description: string) => ({
  description,
  content: content('application/json', ref('Failure')),
});

const tableOperation = (table: Table) => {
  const rows = {
    'application/json': { schema: list(ref(table.name)) },
    'application/vnd.pgrst.object+json': { schema: ref(table.name) },
  };
  return {
    get: {
      summary: `Rows of ${table.name}`,
      tags: ['tables'],
      security: [{ header: [] }, { parameter: [] }],
      parameters: [
        ...Object.keys(TABLE_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        ...[...table.columns.keys()].map((name) =>
          query(name, 'A filter with an operator and a value, such as eq.1', text),
        ),
      ],
      responses: {
        200: { description: 'All requested rows', content: rows },
        206: { description: 'A part of the rows; Content-Range has the number of all rows', content: rows },
        304: UNCHANGED,
        400: failure('A parameter is not supported, or a column is unknown'),
        401: failure('The public key is missing or wrong, or may not read the table'),
        406: failure('The number of rows is not one, as Accept requires, or the schema is not public'),
        415: failure('Accept contains no supported type'),
        416: failure('The range contains no rows'),
        429: failure('Too many requests'),
        503: failure('The database is unavailable or overloaded'),
      },
    },
  };
};

/** True for the tables that can be read with the public key. */
const isRead = ({ name }: Table) => name !== SUBSCRIBERS_TABLE;

interface Described {
  readonly tables: Tables;
  readonly productName: string;
  /** The address of the dashboard, with a slash at its end. */
  readonly home: string;
  /** False for files, which have no table reads and no address with parameters; true by default. */
  readonly hasServer?: boolean | undefined;
}

/** Adds a unique id to each operation, such as 'getSignalJson' for '/signal.json'. */
function withOperationIds(paths: Readonly<Record<string, Readonly<Record<string, object>>>>) {
  const idOf = (method: string, address: string) =>
    `${method}${[...address.matchAll(/[a-z0-9]+/gi)].map(([word]) => word[0]?.toUpperCase() + word.slice(1)).join('')}`;
  return Object.fromEntries(
    Object.entries(paths).map(([address, operations]) => [
      address,
      Object.fromEntries(
        Object.entries(operations).map(([method, described]) => [
          method,
          { operationId: idOf(method, address), ...described },
        ]),
      ),
    ]),
  );
}

/** Creates the OpenAPI 3.1 description of the outputs, the ledger and the table reads. */
export function openApi({ tables, productName, home, hasServer = true }: Described): object {
  const read = hasServer ? [...tables.values()].filter(isRead) : [];
  return {
    openapi: '3.1.0',
    info: {
      title: `${productName} data`,
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: `The outputs are open data and need no key. They ignore unknown query parameters and the Accept header. ${hasServer ? 'Table reads need the public key, which the page contains. ' : ''}The signal describes the market and does not forecast it. An input older than the newest session carries its session, or is null.`,
    },
    servers: [{ url: home.replace(/\/$/, '') }],
    paths: withOperationIds({
      '/signal.json': output('The newest signal', 'application/json', ref('Signal')),
      '/signals.csv': output(
        'Every weekly signal, with the change of the S&P 500 after 1, 4 and 13 weeks',
        'text/csv',
        text,
      ),
      '/fear-greed.csv': output('The Fear & Greed index of every session', 'text/csv', text),
      '/feed.atom': output(
        'Weekly signals and lasting changes of the verdict (RFC 4287)',
        'application/atom+xml',
        text,
      ),
      '/feed.json': output(
        'Weekly signals and lasting changes of the verdict (JSON Feed 1.1)',
        'application/feed+json',
        ref('Feed'),
      ),
      '/grades.atom': output('Grades of the weekly signals (RFC 4287)', 'application/atom+xml', text),
      '/grades.json': output(
        'Grades of the weekly signals (JSON Feed 1.1)',
        'application/feed+json',
        ref('Feed'),
      ),
      '/badge.svg': output('The newest signal as a picture with a height of 20 px', 'image/svg+xml', text),
      '/badge.json': output('The newest signal for a badge of shields.io', 'application/json', ref('Badge')),
      '/embed': output('The newest signal as a card for an iframe', 'text/html', text),
      ...(hasServer && { '/oembed': OEMBED_OPERATION }),
      '/on/{date}.json': dayOperation(
        'The rows of a session as published on its own day, byte for byte as hashed in the ledger',
      ),
      '/on/{date}.{hash}.json': dayOperation(
        'The rows of one of several publications of a session',
        path('hash', 'The SHA-256 of the rows', { type: 'string', pattern: '^[0-9a-f]{64}$' }),
      ),
      ...LEDGER_PATHS,
      '/llms.txt': operation({
        summary: 'The addresses for agents (llmstxt.org)',
        ...{ tag: 'agents', type: 'text/plain', schema: text },
      }),
      ...(hasServer && { '/mcp': MCP_OPERATION }),
      ...Object.fromEntries(read.map((table) => [`/rest/v1/${table.name}`, tableOperation(table)])),
    }),
    components: {
      schemas: {
        ...{ Signal: SIGNAL, Feed: FEED, Badge: BADGE },
        ...(hasServer && { OEmbed: OEMBED, Failure: FAILURE }),
        LedgerEntry: {
          anyOf: SHOWN_TABLES.map((table) => entrySchema(tables, table)),
        },
        ...Object.fromEntries(read.map((table) => [table.name, rowSchema(table)])),
      },
      ...(hasServer && {
        parameters: TABLE_PARAMETERS,
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'apikey' },
          parameter: { type: 'apiKey', in: 'query', name: 'apikey' },
        },
      }),
    },
  };
}
