import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, chownSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import pg from 'pg';
import { installDebianPackages } from '../../scripts/set-up.mjs';
import { freePort } from './free-port.ts';
import { madeOnce } from './made-once.ts';

const OLDEST = 15;
const PATIENCE_MS = 120_000;

function versionOf(folder: string): number {
  const text = execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return Number(/(\d+)/.exec(text)?.[1] ?? 0);
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The program folder of the newest installed server; undefined if there is none. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const installed = existsSync(debian) ? readdirSync(debian) : [];
  const folders = [
    ...installed
      .map(Number)
      .sort((one, other) => other - one)
      .map((version) => join(debian, String(version), 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find(
    (folder) =>
      ['initdb', 'postgres'].every((program) => isExecutable(join(folder, program))) &&
      versionOf(folder) >= OLDEST,
  );
}

let found: string | undefined;

function ensurePrograms(): string | undefined {
  found ??= findPrograms();
  if (found) return found;
  installDebianPackages(['postgresql']);
  found = findPrograms();
  return found;
}

/** True if real Postgres is available on this machine. In CI it must be. */
export function hasPostgres(): boolean {
  if (ensurePrograms()) return true;
  if (process.env.CI) throw new Error(`Postgres ${OLDEST} or newer is not installed.`);
  return false;
}

/** Postgres refuses to run as root, so root starts it as the user of the Debian package. */
function serverUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The data of a new server, made once, because that takes ten times as long as a copy. */
function newData(programs: string, superuser: string): Promise<string> {
  async function make(made: string): Promise<void> {
    const user = serverUser();
    const folder = mkdtempSync(join(tmpdir(), 'barometer-postgres-'));
    if ('uid' in user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    try {
      execFileSync(
        join(programs, 'initdb'),
        ['--pgdata', data, '--username', superuser, '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'],
        { ...user, cwd: folder, stdio: 'pipe', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } },
      );
      copyData(data, join(made, 'data'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  // The folder has the Postgres version in its name, so that all builds share it.
  return madeOnce(`postgres-${superuser}`, make, basename(dirname(programs)));
}

/** Copies the data of a stopped server with its owner, because Postgres starts only over its own files. */
export function copyData(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

async function untilItAnswers(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const client = new pg.Client(url);
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Postgres did not start: ${output()}`);
}

export interface Postgres {
  /** Address of the database `postgres` for the superuser. */
  url: string;
  /** The data folder of the server, which may be copied while the server is stopped. */
  data: string;
  /** Creates an empty database owned by the superuser or by `owner`. Returns its address. */
  createDatabase(name: string, owner?: string): Promise<string>;
  /** Runs statements as the superuser. */
  run(sql: string, url?: string): Promise<void>;
  /** Ends all sessions and restarts the server at the same address. `down` runs in between. */
  restart(down: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

interface StartOptions {
  isDurable?: boolean;
  superuser?: string;
  /** Data folder of a stopped server to copy at the start; it must have the named superuser. */
  copyOf?: string;
}

/**
 * Starts an installed Postgres in a temporary folder, with its own free port and socket folder. Only durability
 * measurements make its commits survive a power cut.
 */
export async function startPostgres(options: StartOptions = {}): Promise<Postgres> {
  const { isDurable = false, superuser = 'postgres', copyOf } = options;
  const programs = ensurePrograms();
  if (!programs) throw new Error(`Postgres ${OLDEST} or newer is not installed.`);
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'barometer-postgres-'));
  if ('uid' in user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const careless = isDurable ? [] : ['fsync=off', 'full_page_writes=off'];
  const settings = [...careless, 'listen_addresses=127.0.0.1', 'shared_buffers=32MB'];
  copyData(copyOf ?? join(await newData(programs, superuser), 'data'), data);
  const port = await freePort();
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  };
  const start = () => {
    const child = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-k', folder, ...settings.flatMap((setting) => ['-c', setting])],
      { ...user, cwd: folder, env: { LC_ALL: 'C.UTF-8' } },
    );
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    return { child, ended: new Promise<void>((resolve) => child.once('close', () => resolve())) };
  };
  let running = start();
  const end = async () => {
    running.child.kill('SIGINT'); // fast shutdown: sessions still open are ended
    await running.ended;
  };
  const addressOf = (database: string, owner = superuser) =>
    `postgres://${owner}@127.0.0.1:${port}/${database}`;
  const url = addressOf('postgres');
  const run: Postgres['run'] = async (sql, at = url) => {
    const client = new pg.Client(at);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const answers = () => untilItAnswers(url, running.child, () => output);
  await answers();
  return {
    url,
    data,
    run,
    createDatabase: async (name, owner = superuser) => {
      await run(`create database ${name} owner ${owner}`);
      return addressOf(name, owner);
    },
    restart: async (down) => {
      await end();
      await down();
      running = start();
      await answers();
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
