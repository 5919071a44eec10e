import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgres } from '#database/postgres.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { DEMONSTRATION, loadDemonstration } from './demonstration.ts';
import { MIGRATIONS } from './embedded.ts';
import { listenOnLoopback } from './loopback.ts';
import { madeOnce } from './made-once.ts';
import { copyData, type Postgres, startPostgres } from './postgres.ts';
import { startPostgrest } from './postgrest.ts';
import { statementsOf } from './statements.ts';

const ROLES = join(ROOT, 'tests', 'support', 'hosted-roles.sql');
/** Superuser of the server. In other installations `postgres` is the superuser; here it is the project's owner. */
const SUPERUSER = 'supabase_admin';

/** Replaces the user in a server's address. */
export function addressFor(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  return address.href;
}

/** The history table that the Supabase command line creates before a push. */
const HISTORY = `
  set lock_timeout = '4s';
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
`;

/** Starts real Postgres as in a hosted project, without our migrations. Its `url` is that of the superuser. */
export async function startHostedDatabase(): Promise<Postgres> {
  const server = await startPostgres({ superuser: SUPERUSER });
  await server.run(readFileSync(ROLES, 'utf8'));
  return server;
}

/** The extended protocol accepts a single statement. */
const alone = (text: string) => ({ text, values: [], queryMode: 'extended' as const });

/**
 * Applies missing migrations as `supabase db push` does: each in one transaction, statement by statement, as the
 * project's owner. Returns the versions applied.
 */
export async function pushMigrations(url: string): Promise<string[]> {
  const client = new pg.Client(addressFor(url, 'postgres'));
  await client.connect();
  try {
    await client.query(HISTORY);
    const { rows } = await client.query('select version from supabase_migrations.schema_migrations');
    const had = new Set(rows.map(({ version }) => version));
    const pushed: string[] = [];
    for (const file of readdirSync(MIGRATIONS).sort()) {
      const [, version = '', name = ''] = /^(\d+)_(.*)\.sql$/.exec(file) ?? [];
      if (had.has(version)) continue;
      const statements = statementsOf(readFileSync(join(MIGRATIONS, file), 'utf8'));
      await client.query('begin');
      for (const statement of statements) await client.query(alone(statement));
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [version, name, statements],
      );
      await client.query('commit');
      pushed.push(version);
    }
    return pushed;
  } finally {
    await client.end();
  }
}

/** A hosted project with our migrations and the demonstration data, owned by `postgres`. */
export async function startHostedDemonstration(): Promise<Postgres> {
  const made = await madeOnce(`hosted-${DEMONSTRATION}`, async (folder) => {
    const server = await startHostedDatabase();
    await pushMigrations(server.url);
    const database = await openPostgres({ url: addressFor(server.url, 'postgres') });
    try {
      await loadDemonstration(database);
    } finally {
      await database.close();
    }
    await server.restart(async () => copyData(server.data, join(folder, 'data')));
    await server.stop();
  });
  return startPostgres({ superuser: SUPERUSER, copyOf: join(made, 'data') });
}

const PREFIX = '/rest/v1/';
const FOR_AN_HOUR = 3_600;

export interface GatewayKeys {
  /** Signing key of the tokens that PostgREST accepts. */
  readonly jwtSecret: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

export interface HostedGateway {
  /** Address of the project; its tables are below `/rest/v1`. */
  readonly url: string;
  /** Method and address of each request. */
  readonly asked: string[];
  /** Responds to a request in place of the project. Returns true if it did. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  close(): Promise<void>;
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token for a role, which PostgREST accepts if `secret` is its own. */
export function tokenOf(role: string, secret: string): string {
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: 'supabase', role })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** CORS headers, which every response needs. */
const CORS = { 'access-control-allow-origin': '*' } as const;

function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    ...CORS,
    'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(FOR_AN_HOUR),
  });
  response.end();
}

const NO_KEY = {
  message: 'No API key found in request',
  hint: 'No `apikey` request header or url param was found.',
} as const;
const WRONG_KEY = {
  message: 'Invalid API key',
  hint: 'Double check your Supabase `anon` or `service_role` API key.',
} as const;

function refuse(response: ServerResponse, status: number, body: Record<string, string>): void {
  response.writeHead(status, { ...CORS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

/** The client address that PostgREST receives. */
const CLIENT = '192.0.2.1';

/** The gateway of a hosted project as the page uses it: path prefix, key and role, CORS, and the client's address. */
export async function startHostedGateway(postgrest: string, keys: GatewayKeys): Promise<HostedGateway> {
  const agent = new Agent({ keepAlive: true });
  const roles = new Map([
    [keys.anonKey, 'anon'],
    [keys.serviceKey, 'service_role'],
  ]);

  /** Returns the role of a request's key; null if the request was refused. */
  function admit(request: IncomingMessage, url: URL, response: ServerResponse): string | null {
    if (!url.pathname.startsWith(PREFIX)) {
      refuse(response, 404, { message: 'no Route matched with those values' });
      return null;
    }
    const key = String(request.headers.apikey ?? url.searchParams.get('apikey') ?? '');
    const role = roles.get(key);
    if (role === undefined) refuse(response, 401, key === '' ? NO_KEY : WRONG_KEY);
    return role ?? null;
  }

  function pass(request: IncomingMessage, url: URL, role: string, response: ServerResponse): void {
    // Removes only the key and keeps the encoding of the rest, which PostgREST parses.
    const search = url.search.replace(/[?&]apikey=[^&]*/, '');
    const { host: _host, connection: _connection, apikey: _key, ...headers } = request.headers;
    const said = request.headers.authorization ?? '';
    const before = request.headers['x-forwarded-for'];
    const asked = ask(`${postgrest}/${url.pathname.slice(PREFIX.length)}${search.replace(/^&/, '?')}`, {
      agent,
      method: request.method,
      headers: {
        ...headers,
        // A key is not a token; only users who are logged in have a token.
        authorization: /^bearer (?!sb_)/i.test(said) ? said : `Bearer ${tokenOf(role, keys.jwtSecret)}`,
        'cf-connecting-ip': CLIENT,
        'x-forwarded-for': before === undefined ? CLIENT : `${before}, ${CLIENT}`,
      },
    });
    asked.once('response', (answer) => {
      const { connection: _, ...answered } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { ...answered, ...CORS });
      answer.pipe(response);
    });
    asked.once('error', () => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, { message: 'An invalid response was received from the upstream server' });
    });
    request.pipe(asked);
  }

  const listening = await listenOnLoopback((request, response) => {
    gateway.asked.push(`${request.method} ${request.url}`);
    if (gateway.instead?.(request, response)) return;
    if (request.method === 'OPTIONS' && request.headers.origin) {
      answerPreflight(request, response);
      return;
    }
    const address = request.url ?? '/';
    const url = new URL(URL.canParse(address, gateway.url) ? address : '/', gateway.url);
    const role = admit(request, url, response);
    if (role !== null) pass(request, url, role, response);
  });
  const gateway: HostedGateway = {
    url: listening.url,
    asked: [],
    instead: null,
    close: () => {
      agent.destroy();
      return listening.close();
    },
  };
  return gateway;
}

export const HOSTED_KEYS: GatewayKeys = {
  jwtSecret: 'a secret that signs the tokens of a hosted project in a test',
  anonKey: 'sb_publishable_of-a-hosted-project-in-a-test',
  serviceKey: 'sb_secret_of-a-hosted-project-in-a-test',
};

export interface HostedProject {
  readonly gateway: HostedGateway;
  readonly server: Postgres;
  /** The database's address for its owner, who is not a superuser. */
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** A small hosted project: Postgres with our demonstration data, PostgREST over it, and the gateway before it. */
export async function startHostedProject(): Promise<HostedProject> {
  const server = await startHostedDemonstration();
  const postgrest = await startPostgrest(addressFor(server.url, 'authenticator'), {
    connections: 5,
    preparesStatements: true,
    settings: { PGRST_JWT_SECRET: HOSTED_KEYS.jwtSecret, PGRST_DB_EXTRA_SEARCH_PATH: 'public, extensions' },
  });
  const gateway = await startHostedGateway(postgrest.url, HOSTED_KEYS);
  return {
    gateway,
    server,
    databaseUrl: addressFor(server.url, 'postgres'),
    stop: async () => {
      await gateway.close();
      await postgrest.stop();
      await server.stop();
    },
  };
}
