import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPrograms, POSTGRES_VERSION } from '#database/embedded/programs.ts';
import { giveTo, minimalEnvironment, ordinaryUser, type ServerUser } from '#database/embedded/user.ts';
import { freePort } from './free-port.ts';
import { madeOnce } from './made-once.ts';

const PATIENCE_MS = 120_000;

/** The product's own programs, and the user that runs them: Postgres refuses to run as root. */
export async function findServer() {
  const user: ServerUser = process.getuid?.() === 0 ? ordinaryUser('/') : { ids: {}, wrapper: [] };
  const copies = join(tmpdir(), `barometer-programs-${process.getuid?.() ?? 0}`);
  mkdirSync(copies, { recursive: true, mode: 0o755 });
  return { programs: join(await findPrograms(copies, user), 'bin'), ids: user.ids };
}

/** The data of a new server, made once, because that takes ten times as long as a copy. */
async function newData(superuser: string): Promise<string> {
  const { programs, ids } = await findServer();
  async function make(made: string): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'barometer-postgres-'));
    giveTo({ ids, wrapper: [] }, folder);
    const data = join(folder, 'data');
    try {
      execFileSync(
        join(programs, 'initdb'),
        [
          ...[
            '--pgdata',
            data,
            '--username',
            superuser,
            '--auth',
            'trust',
            '--encoding',
            'UTF8',
            '--no-sync',
          ],
          ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ],
        { ...ids, cwd: folder, stdio: 'pipe', env: minimalEnvironment() },
      );
      copyData(data, join(made, 'data'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  // The name has the version of Postgres, so that all builds share the folder.
  return madeOnce(`postgres-${superuser}`, make, POSTGRES_VERSION);
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

/** Runs Postgres until standard input ends, so that it also ends with a test process that is killed. */
const WITH_PARENT = '"$@" & cat > /dev/null; kill -INT $! 2> /dev/null; wait';

/**
 * Starts Postgres in a temporary folder, with its own free port and socket folder. Only durability measurements make its
 * commits survive a power cut.
 */
export async function startPostgres(options: StartOptions = {}): Promise<Postgres> {
  const { isDurable = false, superuser = 'postgres', copyOf } = options;
  const { programs, ids } = await findServer();
  const folder = mkdtempSync(join(tmpdir(), 'barometer-postgres-'));
  giveTo({ ids, wrapper: [] }, folder);
  const data = join(folder, 'data');
  const careless = isDurable ? [] : ['fsync=off', 'full_page_writes=off'];
  const settings = [...careless, 'listen_addresses=127.0.0.1', 'shared_buffers=32MB', 'timezone=UTC'];
  copyData(copyOf ?? join(await newData(superuser), 'data'), data);
  const port = await freePort();
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4_000);
  };
  const start = () => {
    const parameters = [
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      folder,
      ...settings.flatMap((setting) => ['-c', setting]),
    ];
    const child = spawn('sh', ['-c', WITH_PARENT, 'sh', join(programs, 'postgres'), ...parameters], {
      ...ids,
      cwd: folder,
      env: minimalEnvironment(),
    });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // A server that no test stops must not keep its worker alive.
    for (const handle of [child, child.stdin, child.stdout, child.stderr])
      (handle as unknown as Socket).unref();
    return { child, ended: new Promise<void>((resolve) => child.once('close', () => resolve())) };
  };
  let running = start();
  const end = async () => {
    // Keeps a process that has nothing else to do alive until the server has ended.
    for (const handle of [running.child, running.child.stdout, running.child.stderr])
      (handle as unknown as Socket).ref();
    running.child.stdin.end(); // fast shutdown: sessions still open are ended
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
