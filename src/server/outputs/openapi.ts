import { MARKET_SOURCES } from '#schema/market-source.ts';
import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import { columnSchema } from '../rest/description.ts';
import type { Table, Tables } from '../rest/tables.ts';
import { STATE_HEADERS } from './output-headers.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const instant: Schema = { type: 'string', format: 'date-time' };
const day: Schema = { type: 'string', format: 'date' };
const score: Schema = { type: 'number', minimum: 0, maximum: 100 };
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

const content = (type: string, schema: Schema) => ({ [type]: { schema } });

/** Describes an output without parameters. */
const output = (summary: string, type: string, schema: Schema) => ({
  get: {
    summary,
    tags: ['outputs'],
    responses: {
      200: { description: summary, headers: OUTPUT_HEADERS, content: content(type, schema) },
      304: {
        description: 'Not changed since the ETag in If-None-Match',
        headers: { ETag: header('', text) },
      },
      ...ALWAYS,
    },
  },
});

const query = (name: string, description: string, schema: Schema, required = false) => ({
  ...{ name, in: 'query', description, required, schema },
});

const OEMBED_OPERATION = {
  get: {
    summary: 'The embedded card in the oEmbed format',
    tags: ['outputs'],
    parameters: [
      query('url', 'The address of the dashboard', address, true),
      query('format', 'The value json; another format is refused with 501', text),
      query('maxwidth', 'Maximum width in pixels', count),
      query('maxheight', 'Maximum height in pixels', count),
    ],
    responses: {
      200: {
        description: 'The card',
        headers: OUTPUT_HEADERS,
        content: content('application/json', ref('OEmbed')),
      },
      304: { description: 'Not changed since the ETag in If-None-Match' },
      400: sentence('A parameter is missing or wrong'),
      404: sentence('The parameter url is not the address of the dashboard'),
      501: sentence('The parameter format is not json'),
      ...ALWAYS,
    },
  },
};

const column = (table: Table, name: string, type: string): Schema => {
  const { type: jsonType, format } = columnSchema(type);
  const schema = { type: jsonType, 'x-postgres-type': format };
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
    'text/csv': { schema: text },
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
        304: { description: 'Not changed since the ETag in If-None-Match' },
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
}

/** Creates the OpenAPI 3.1 description of the outputs and of the table reads. */
export function openApi({ tables, productName, home }: Described): object {
  const read = [...tables.values()].filter(isRead);
  return {
    openapi: '3.1.0',
    info: {
      title: `${productName} data`,
      version: '1',
      description:
        'The outputs are open data and need no key. They ignore unknown query parameters and the Accept header. Table reads need the public key, which the page contains. The signal describes the market and does not forecast it. An input older than the newest session carries its session, or is null.',
    },
    servers: [{ url: home.replace(/\/$/, '') }],
    paths: {
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
      '/oembed': OEMBED_OPERATION,
      ...Object.fromEntries(read.map((table) => [`/rest/v1/${table.name}`, tableOperation(table)])),
    },
    components: {
      schemas: {
        ...{ Signal: SIGNAL, Feed: FEED, Badge: BADGE, OEmbed: OEMBED, Failure: FAILURE },
        ...Object.fromEntries(read.map((table) => [table.name, rowSchema(table)])),
      },
      parameters: TABLE_PARAMETERS,
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'apikey' },
        parameter: { type: 'apiKey', in: 'query', name: 'apikey' },
      },
    },
  };
}
