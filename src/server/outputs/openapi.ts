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
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: Schema): Schema => ({ type: 'array', items });
const like = (pattern: string): Schema => ({ type: 'string', pattern });
const atLeast = (minimum: number): Schema => ({ type: 'integer', minimum });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schema of an object with exactly these fields. The fields in `optional` may be absent. */
const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const STATE = {
  ...{ as_of: orNull(instant), sessions_behind: orNull(atLeast(0)), next_due: orNull(instant) },
  ...{ source: orNull(source), formula_version: text },
};
const INPUT = { input: text, name: text, weight_percent: orNull(score), score: orNull(score) };
const RISK = {
  ...{ session: day, inputs: { enum: ['vix and closes', 'closes'] } },
  weekly_move: object({ low: share, middle: share, high: share }),
  ...{ worst_line: { type: 'number', minimum: -1, maximum: 0.5 }, fall_probability: share },
};

const SCHEMAS = {
  Signal: object({
    ...{ ...STATE, demonstration: { type: 'boolean' }, session: orNull(day), verdict: orNull(verdict) },
    ...{ score: orNull(score), range: orNull(object({ low: score, high: score })) },
    inputs: list(object({ ...INPUT, session: orNull(day) })),
    next: orNull(object({ verdict, points: orNull({ type: 'number' }) })),
    week_ago: orNull(object({ session: day, verdict, change: orNull({ type: 'number' }) })),
    fear_greed: orNull(object({ value: score, label: text, session: day })),
    ...{ risk: orNull(object(RISK)), disclaimer: text, page: address },
  }),
  /** Our JSON Feed 1.1 (jsonfeed.org/version/1.1). */
  Feed: object({
    ...{ version: { const: 'https://jsonfeed.org/version/1.1' }, title: text, description: text },
    ...{ home_page_url: address, feed_url: address, icon: address, language: { const: 'en' } },
    ...{ authors: list(object({ name: text, url: address })), _data: object(STATE) },
    items: list(
      object({
        ...{ id: like('^urn:uuid:[0-9a-f-]{36}$'), url: address, title: text },
        ...{ content_text: text, date_published: instant },
      }),
    ),
  }),
  Badge: object({
    ...{ schemaVersion: { const: 1 }, label: text, message: { type: 'string', minLength: 1 } },
    ...{ color: like('^[0-9a-f]{6}$'), cacheSeconds: atLeast(300) },
  }),
};

const SERVER_SCHEMAS = {
  OEmbed: object({
    ...{ version: { const: '1.0' }, type: { const: 'rich' }, title: text, html: text },
    ...{ width: atLeast(1), height: atLeast(1), cache_age: atLeast(0) },
    ...{ provider_name: text, provider_url: address, description: text, ...STATE },
  }),
  Failure: object({ code: orNull(text), details: orNull(text), hint: orNull(text), message: text }),
};

const header = (description: string, schema: Schema, required = true) => ({ description, required, schema });
const ETAG = { ETag: header('', text) };
const OPEN_ORIGIN = {
  'Access-Control-Allow-Origin': header('Pages of any site may read the response.', { const: '*' }),
};
const SCHEMA_OF_HEADER = {
  ...{ as_of: instant, sessions_behind: like('^\\d+$'), next_due: instant, source, formula_version: text },
} satisfies Record<keyof typeof STATE_HEADERS, Schema>;
const AGE = 'Seconds since the data were last known to be current; absent for current data';
const OUTPUT_HEADERS = {
  ...OPEN_ORIGIN,
  ...Object.fromEntries(
    Object.entries(SCHEMA_OF_HEADER).map(([field, schema]) => [
      STATE_HEADERS[field as keyof typeof STATE_HEADERS],
      header(`The value of ${field}; absent if it is unknown`, schema, field === 'formula_version'),
    ]),
  ),
  ...{ ...ETAG, Age: header(AGE, text, false) },
};

const content = (type: string, schema: Schema) => ({ [type]: { schema } });
const sentence = (description: string) => ({ description, content: content('text/plain', text) });
/** The refusals with these descriptions, by status. */
const refused = (
  refusals: Readonly<Record<number, string>>,
  describe: (description: string) => object = sentence,
) => Object.fromEntries(Object.entries(refusals).map(([status, why]) => [status, describe(why)]));

const ALWAYS = refused({
  405: 'The method is neither GET nor HEAD',
  429: 'Too many requests; retry after the seconds in Retry-After',
  500: 'An error of the server',
  503: 'The server has no data yet; retry after the seconds in Retry-After',
});
const UNCHANGED = { description: 'Not changed since the ETag in If-None-Match', headers: ETAG };

const parameter = (place: 'path' | 'query') => (name: string, description: string, schema: Schema) => ({
  ...{ name, in: place, description, required: place === 'path', schema },
});
const query = parameter('query');
const inPath = parameter('path');

interface Operation {
  readonly parameters?: readonly object[];
  /** Descriptions of the refusals besides those that every address has, by status. */
  readonly refusals?: Readonly<Record<number, string>>;
}

const operation = (
  tag: 'outputs' | 'ledger' | 'agents',
  type: string,
  summary: string,
  schema: Schema = text,
  { parameters = [], refusals = {} }: Operation = {},
) => ({
  get: {
    ...{ summary, tags: [tag], security: [] },
    ...(parameters.length > 0 && { parameters }),
    responses: {
      200: {
        description: summary,
        headers: tag === 'outputs' ? OUTPUT_HEADERS : { ...OPEN_ORIGIN, ...ETAG },
        content: content(type, schema),
      },
      304: UNCHANGED,
      ...refused(refusals),
      ...ALWAYS,
    },
  },
});

const [FEED, ATOM] = ['application/feed+json', 'application/atom+xml'] as const;
const JSON_TYPE = 'application/json';

/** Type of the content, description, and schema of the content. An output without a schema is a text. */
type Output = readonly [type: string, summary: string, schema?: Schema];

/** The outputs by their address. */
export const OUTPUTS = {
  '/signal.json': [JSON_TYPE, 'The newest signal', ref('Signal')],
  '/signals.csv': [
    'text/csv',
    'Every weekly signal, with the changes of the S&P 500 after 1, 4 and 13 weeks',
  ],
  '/fear-greed.csv': ['text/csv', 'The Fear & Greed index of every session'],
  '/feed.atom': [ATOM, 'Weekly signals and lasting changes of the verdict (RFC 4287)'],
  '/feed.json': [FEED, 'Weekly signals and lasting changes of the verdict', ref('Feed')],
  '/grades.atom': [ATOM, 'Grades of the weekly signals (RFC 4287)'],
  '/grades.json': [FEED, 'Grades of the weekly signals', ref('Feed')],
  '/badge.svg': ['image/svg+xml', 'The newest signal as a picture with a height of 20 px'],
  '/badge.json': [JSON_TYPE, 'The newest signal for a badge of shields.io', ref('Badge')],
  '/embed': ['text/html', 'The newest signal as a card for an iframe'],
} as const satisfies Record<string, Output>;

const OEMBED = operation('outputs', JSON_TYPE, 'The embedded card in the oEmbed format', ref('OEmbed'), {
  parameters: [
    { ...query('url', 'The address of the dashboard', address), required: true },
    query('format', 'The value json; another format is refused with 501', text),
    query('maxwidth', 'Maximum width in pixels', atLeast(0)),
    query('maxheight', 'Maximum height in pixels', atLeast(0)),
  ],
  refusals: {
    400: 'A parameter is missing or wrong',
    404: 'The parameter url is not the address of the dashboard',
    501: 'The parameter format is not json',
  },
});

const dayOperation = (summary: string, ...hash: readonly object[]) =>
  operation(
    'ledger',
    JSON_TYPE,
    summary,
    { type: 'object' },
    {
      parameters: [inPath('date', 'The session', day), ...hash],
      refusals: { 404: 'The session was not published on its own day' },
    },
  );

const ledgerFile = (type: string, summary: string, schema = text, parameters: readonly object[] = []) =>
  operation('ledger', type, summary, schema, { parameters, refusals: { 404: 'There is no such file' } });

const BYTES = 'application/octet-stream';
const TILE_PARAMETERS = [
  inPath('level', 'The word entries, or a level of the tree from 0 on', like('^(entries|\\d{1,2})$')),
  inPath('index', 'The number of the tile with three digits; 1234 is x001/234', text),
];
/** A bundle of entries, or hashes of 32 bytes. */
const TILE: Schema = { ...text, contentMediaType: JSON_TYPE, contentSchema: ref('LedgerEntry') };
const PUBLISHED = 'The rows of a session as published on its own day, byte for byte as hashed in the ledger';
const CHECKPOINT = 'The number of entries and the root hash, signed (c2sp.org/tlog-checkpoint)';
const FULL_TILE = '256 hashes, or 256 entries with two bytes of length before each (c2sp.org/tlog-tiles)';

const LEDGER_PATHS = {
  '/on/{date}.json': dayOperation(PUBLISHED),
  '/on/{date}.{hash}.json': dayOperation(
    'The rows of one of several publications of a session',
    inPath('hash', 'The SHA-256 of the rows', like('^[0-9a-f]{64}$')),
  ),
  '/ledger/key': ledgerFile('text/plain', 'The public key of the ledger: NAME+ID+KEY'),
  '/ledger/checkpoint': ledgerFile('text/plain', CHECKPOINT),
  '/ledger/tile/{level}/{index}': ledgerFile(BYTES, FULL_TILE, TILE, TILE_PARAMETERS),
  '/ledger/tile/{level}/{index}.p/{width}': ledgerFile(
    ...([BYTES, 'The first hashes or entries of a tile that is not full', TILE] as const),
    [...TILE_PARAMETERS, inPath('width', 'The number of hashes or entries', atLeast(1))],
  ),
};

const RPC = { jsonrpc: { const: '2.0' }, id: { type: ['integer', 'string', 'null'] } };
const RPC_REQUEST = object({ ...RPC, method: text, params: { type: 'object' } }, ['id', 'params']);
const RPC_ERROR = object({ code: { type: 'integer' }, message: text, data: {} }, ['data']);
const RPC_RESPONSE = object({ ...RPC, result: { type: 'object' }, error: RPC_ERROR }, [
  'id',
  'result',
  'error',
]);

const rpc = (description: string, other = 'text/plain') => ({
  description,
  headers: OPEN_ORIGIN,
  content: { ...content(JSON_TYPE, RPC_RESPONSE), ...content(other, text) },
});

const MCP = {
  post: {
    summary: 'Read-only tools for agents (MCP, streamable HTTP without sessions)',
    ...{ tags: ['agents'], security: [] },
    requestBody: { required: true, content: content(JSON_TYPE, RPC_REQUEST) },
    responses: {
      200: rpc('The response to the call', 'text/event-stream'),
      202: { description: 'A notification, which has no response' },
      400: { ...rpc('The request is not a single valid call'), headers: {} },
      406: rpc('Accept lacks application/json or text/event-stream'),
      415: rpc('The content type is not application/json'),
      ...ALWAYS,
      ...refused({ 405: 'The method is not POST', 413: 'The request is too long' }),
    },
  },
};

const JSON_TYPES: Readonly<Record<string, string>> = {
  ...{ bigint: 'integer', integer: 'integer', smallint: 'integer', boolean: 'boolean' },
  ...{ 'double precision': 'number', numeric: 'number', real: 'number' },
};

const column = (table: Table, name: string, type: string): Schema => {
  const jsonType = JSON_TYPES[type] ?? 'string';
  return { type: table.required.includes(name) ? jsonType : [jsonType, 'null'], 'x-postgres-type': type };
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

const TABLE_REFUSALS = refused(
  {
    400: 'A parameter is not supported, or a column is unknown',
    401: 'The public key is missing or wrong, or may not read the table',
    406: 'The number of rows is not one, as Accept requires, or the schema is not public',
    415: 'Accept contains no supported type',
    416: 'The range contains no rows',
    429: 'Too many requests',
    503: 'The database is unavailable or overloaded',
  },
  (description) => ({ description, content: content(JSON_TYPE, ref('Failure')) }),
);

const tableOperation = ({ name, columns }: Table) => {
  const rows = {
    ...content(JSON_TYPE, list(ref(name))),
    ...content('application/vnd.pgrst.object+json', ref(name)),
  };
  return {
    get: {
      ...{ summary: `Rows of ${name}`, tags: ['tables'], security: [{ header: [] }, { parameter: [] }] },
      parameters: [
        ...Object.keys(TABLE_PARAMETERS).map((each) => ({ $ref: `#/components/parameters/${each}` })),
        ...[...columns.keys()].map((each) =>
          query(each, 'A filter with an operator and a value, such as eq.1', text),
        ),
      ],
      responses: {
        200: { description: 'All requested rows', content: rows },
        206: { description: 'A part of the rows; Content-Range has the number of all rows', content: rows },
        304: UNCHANGED,
        ...TABLE_REFUSALS,
      },
    },
  };
};

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
  const capitalised = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => {
      const words = (path.match(/[a-z0-9]+/gi) ?? []).map(capitalised).join('');
      const named = Object.entries(operations).map(([method, described]) => [
        method,
        { operationId: `${method}${words}`, ...described },
      ]);
      return [path, Object.fromEntries(named)];
    }),
  );
}

/** Creates the OpenAPI 3.1 description of the outputs, the ledger and the table reads. */
export function openApi({ tables, productName, home, hasServer = true }: Described): object {
  const read = hasServer ? [...tables.values()].filter(({ name }) => name !== SUBSCRIBERS_TABLE) : [];
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
      ...Object.fromEntries(
        Object.entries<Output>(OUTPUTS).map(([path, output]) => [path, operation('outputs', ...output)]),
      ),
      ...LEDGER_PATHS,
      '/llms.txt': operation('agents', 'text/plain', 'The addresses for agents (llmstxt.org)'),
      ...(hasServer && { '/oembed': OEMBED, '/mcp': MCP }),
      ...Object.fromEntries(read.map((table) => [`/rest/v1/${table.name}`, tableOperation(table)])),
    }),
    components: {
      schemas: {
        ...{ ...SCHEMAS, ...(hasServer && SERVER_SCHEMAS) },
        LedgerEntry: { anyOf: SHOWN_TABLES.map((table) => entrySchema(tables, table)) },
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
