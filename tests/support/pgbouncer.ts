import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has } from './debian.ts';
import { freePort } from './free-port.ts';

const PROGRAMS = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'];

const findProgram = () => PROGRAMS.find((path) => existsSync(path));

/** True if PgBouncer is available on this machine. CI must have it. */
export const hasPgbouncer = (): boolean => has(['pgbouncer'], () => findProgram() !== undefined);

export interface Pooler {
  /** Address of one of its databases for one of its users. */
  addressOf(database: string, user: string): string;
  stop(): Promise<void>;
}

export interface PoolerOptions {
  /** Address of the Postgres behind PgBouncer, which trusts all local users. */
  postgresUrl: string;
  /** Passwords of the users of PgBouncer. */
  users: Readonly<Record<string, string>>;
  /** For each pool name: its database and its maximum number of connections. */
  databases: Readonly<Record<string, { database: string; connections: number }>>;
  /** Files of PgBouncer's certificate for `localhost`; its user must own them. */
  tls: { certificate: string; key: string };
}

/**
 * Starts PgBouncer as hosted projects run it: transaction pooling, no reset between transactions, and only their own
 * ignored startup parameter.
 */
export async function startPgbouncer(options: PoolerOptions): Promise<Pooler> {
  const { postgresUrl, users, databases, tls } = options;
  const program = findProgram();
  if (program === undefined) throw new Error('PgBouncer is not installed.');
  const behind = new URL(postgresUrl);
  const folder = mkdtempSync(join(tmpdir(), 'barometer-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const known = file(
    'users',
    Object.entries(users).map(([user, password]) => `"${user}" "${password.replaceAll('"', '""')}"`),
  );
  const settings = file('pgbouncer.ini', [
    '[databases]',
    ...Object.entries(databases).map(
      ([name, { database, connections }]) =>
        `${name} = host=${behind.hostname} port=${behind.port} dbname=${database} pool_size=${connections}`,
    ),
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${known}`,
    'client_tls_sslmode = allow',
    `client_tls_cert_file = ${tls.certificate}`,
    `client_tls_key_file = ${tls.key}`,
    'pool_mode = transaction',
    'server_reset_query_always = 0',
    'ignore_startup_parameters = extra_float_digits',
    'max_client_conn = 200',
    'server_login_retry = 1',
    'query_wait_timeout = 60',
    ...(process.getuid?.() === 0 ? ['user = postgres'] : []),
  ]);
  const child = spawn(program, [settings], { cwd: folder });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
      if (output.includes('process up')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PgBouncer did not start: ${output}`)));
  });
  return {
    addressOf: (database, user) =>
      `postgres://${user}:${encodeURIComponent(users[user] ?? '')}@localhost:${port}/${database}`,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
