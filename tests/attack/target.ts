import { expect } from 'vitest';
import type { Row } from '#database/port.ts';
import { EXPOSED_TABLES } from '#server/rest/exposed-tables.ts';
import { exchange, type RawAnswer, rawRequest } from '../support/raw-http.ts';
import type { Way } from '../support/ways.ts';

/** A way to serve the product that is under attack. */
export interface Target extends Way {
  /**
   * True if our own server serves pages and tables. Otherwise the file host and the gateway belong to the operator,
   * and only the promises of database, policies and page are checked.
   */
  readonly isOurs: boolean;
  /** Product name in the page's title and headings. */
  readonly productName: string;
  /** The contents of the server's database before the attack. */
  readonly inventory: Inventory;
  /** Secrets that no response to any attack may contain. */
  readonly secrets: readonly string[];
  /** Addresses that the attacks subscribe. Everybody has the right to subscribe an address. */
  readonly subscribed: Set<string>;
}

/** An address in the database during the attack. */
export const CANARY = 'canary.of.the.attack@example.org';
const PLANTED = `insert into public.email_subscribers (email, is_active) values ('${CANARY}', true)`;

/** The contents of the database, as its owner sees them. */
export interface Inventory {
  readonly relations: readonly (readonly [schema: string, name: string])[];
  readonly schemas: readonly string[];
  /** Functions that are not part of Postgres. */
  readonly functions: readonly string[];
  /** A digest of the rows of each table, by name. */
  readonly digests: Readonly<Record<string, string>>;
  readonly emails: readonly string[];
  readonly reference: string;
  readonly signingKey: string;
}

/** Rows older than this do not change; newer ones may, as the attacked server continues to collect. */
const SETTLED = new Date(Date.now() - 7 * 86_400_000).toISOString();

/** The columns with the age of a table's rows, except `created_at`. */
const TIME_COLUMNS: Readonly<Record<string, string>> = {
  signal_grades: 'exit_session',
  publications: 'published_at',
  quality_events: 'at',
  verdict_changes: 'at',
};

const INVENTORY = `select json_build_object(
  'relations', (select json_agg(json_build_array(nspname, relname)) from pg_class join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'v', 'm', 'S', 'p', 'f') and nspname <> 'pg_toast'),
  'schemas', (select json_agg(nspname) from pg_namespace),
  'functions', (select json_agg(distinct proname) from pg_proc join pg_namespace n on n.oid = pronamespace
    where nspname not in ('pg_catalog', 'information_schema')),
  'digests', json_build_object(${EXPOSED_TABLES.filter((name) => name !== 'email_subscribers')
    .map(
      (name) => `'${name}', (select md5(string_agg(t::text, '|' order by id)) from public.${name} as t
      where ${TIME_COLUMNS[name] ?? 'created_at'} < '${SETTLED}')`,
    )
    .join(', ')}),
  'emails', (select json_agg(email order by email) from public.email_subscribers where is_active),
  'reference', (select reference from public.email_subscribers where email = '${CANARY}'),
  'signingKey', (select array_to_string(signing_key, '') from mailer.settings)
)::text as inventory`;

/** SQL that runs before the server starts: it adds the secrets, and returns the contents of the database as JSON. */
export const PREPARE_AND_INVENTORY = `${PLANTED}; ${INVENTORY}`;

/** Parses the result of the inventory query. */
export const inventoryOf = ([row]: readonly Row[]): Inventory => JSON.parse(String(row?.inventory));

/** Records the contents of the tables after the attacks, and then changes the database. */
export async function takeInventory({ sql }: Pick<Way, 'sql'>, andThen = ''): Promise<Inventory> {
  return inventoryOf(
    await sql(`create temporary table looked on commit drop as ${INVENTORY}; ${andThen};
      select inventory from looked`),
  );
}

/** The key that signs links, as bytes; the database stores it as UUIDs. */
export const keyOf = (uuids: string) => Buffer.from(uuids.replaceAll('-', ''), 'hex');

/** Contents of private tables, as text and in each encoding. */
export function secretsOf({ reference, signingKey }: Inventory): string[] {
  const key = keyOf(signingKey);
  const [name = ''] = CANARY.split('@', 1);
  return [
    name,
    reference,
    reference.replaceAll('-', ''),
    signingKey,
    key.toString('hex'),
    key.toString('base64'),
    key.toString('base64url'),
  ];
}

/** Internal details that only an error of the program would reveal: paths, names, the database's address. */
const INSIDES =
  /\bat (?:\S+ \()?(?:file:|node:|\/)\S+:\d+:\d+|node_modules|postgres(?:ql)?:\/\/|\bECONN[A-Z]+\b/;

/** Sentences about the leaks in a response; empty if there are none. */
export function leaksOf({ secrets }: Target, { status, headers, head, body }: RawAnswer): string[] {
  const text = `${head}\n${body.toString('utf8')}`;
  const names = headers.map(([name]) => name);
  return [
    ...secrets.filter((secret) => text.includes(secret)).map((secret) => `the secret ${secret}`),
    ...(INSIDES.exec(text) ?? []).slice(0, 1).map((found) => `its insides: ${found}`),
    ...['location', 'refresh', 'set-cookie', 'x-injected'].filter((name) => names.includes(name)),
    ...(status >= 300 && status < 400 && status !== 304 ? [`a redirect, ${status}`] : []),
  ];
}

export interface Asked {
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The key to send in `apikey`: the public one by default, none if null. */
  readonly key?: string | null;
}

/**
 * Sends a request over a new connection, with the path unchanged. Fails the test if the response leaks or none comes.
 */
export async function ask(
  target: Target,
  url: string,
  path: string,
  { method = 'GET', headers = [], body }: Asked = {},
): Promise<RawAnswer> {
  const request = rawRequest(method, path, headers, body);
  const { answers } = await exchange(url, request, { answers: 1, methods: [method] });
  const [answer] = answers;
  if (answer === undefined)
    throw new Error(`There is no response to ${JSON.stringify(request.slice(0, 300))}`);
  expect(
    leaksOf(target, answer),
    `leaks in the response to ${JSON.stringify(request.slice(0, 300))}`,
  ).toEqual([]);
  return answer;
}

/** Sends a request to a table. `path` is the part after `/rest/v1`. */
export function askTables(target: Target, path: string, { key, ...asked }: Asked = {}): Promise<RawAnswer> {
  const { restUrl, anonKey } = target;
  const keys = key === null ? [] : [['apikey', key ?? anonKey] as const];
  return ask(target, restUrl, new URL(restUrl).pathname + path, {
    ...asked,
    headers: [...keys, ...(asked.headers ?? [])],
  });
}

/** Requests a path of the tables, again while the request had no turn in the database, as on a busy machine. */
export async function askInTurn(target: Target, path: string): Promise<RawAnswer> {
  let answer: RawAnswer;
  do answer = await askTables(target, path);
  while (answer.status === 503 && answer.body.includes('PGRST003'));
  return answer;
}

/** The rows of a response; null if it is no list of rows. */
export function rowsOf({ status, body }: RawAnswer): unknown[] | null {
  if (status !== 200 && status !== 206) return null;
  const value: unknown = JSON.parse(body.toString());
  return Array.isArray(value) ? value : null;
}

/** Tables that everybody may read. */
export const READABLE = EXPOSED_TABLES.filter((name) => name !== 'email_subscribers');
