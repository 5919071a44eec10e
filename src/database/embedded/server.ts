import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fchownSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientConfig } from 'pg';
import { DatabaseUnavailable } from '../unavailable.ts';
import { createData, dataFolder, holdsDatabase, readPassword, SUPERUSER } from './data.ts';
import { unavailableFrom } from './failures.ts';
import { findPrograms, programIn } from './programs.ts';
import { type FolderOptions, preparePlace, programEnvironment, run } from './user.ts';

const isWindows = process.platform === 'win32';
const LOOPBACK = '127.0.0.1';
/** Port of a socket in a folder, which is only a part of its name. */
const SOCKET_PORT = 5_432;
const socketIn = (folder: string): string => join(folder, `.s.PGSQL.${SOCKET_PORT}`);
/** Longest path of a socket on all systems (bytes): macOS has the shortest, 103 bytes and a NUL. */
const LONGEST_PATH = 103;

/** Settings for a small machine with one application. `timezone` and `jit` would otherwise depend on the machine. */
const SETTINGS = [
  'shared_buffers=32MB',
  'max_connections=60',
  'min_wal_size=32MB',
  'max_wal_size=256MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_logical_replication_workers=0',
  'max_parallel_workers_per_gather=0',
  'io_method=sync',
  'jit=off',
  'timezone=UTC',
  'unix_socket_permissions=0700',
  // The log quotes no statements or rows, because they contain addresses of subscribers.
  'log_min_messages=fatal',
  'log_min_error_statement=panic',
  'log_timezone=UTC',
];

/**
 * Starts Postgres while it holds a lock on its data folder. The lock belongs to all processes of Postgres and ends with
 * them, so that also a container with its own process ids cannot start a second Postgres in the folder. Process ids in the
 * files of an earlier start mean nothing then, and are removed. Systems without `flock` have no such containers.
 */
const START = `exec 9< "$1" || exit 1
if command -v flock > /dev/null; then
  flock -n 9 || exit 75
  rm -f "$1/postmaster.pid" "$1/../.s.PGSQL.${SOCKET_PORT}.lock"
fi
shift
exec "$@"`;
const LOCKED = 75;

/** Stops Postgres from a session, because this process may be another user or have other process ids. */
const STOP = `copy (select) to program 'read pid < postmaster.pid; kill -INT "$pid"'`;

/** Returns the driver's settings for the running server of a folder; null if there is none. */
export function addressOf(folder: string): ClientConfig | null {
  const base = { user: SUPERUSER, database: SUPERUSER, ssl: false, application_name: 'barometer' };
  if (!isWindows && Buffer.byteLength(socketIn(folder)) <= LONGEST_PATH && existsSync(socketIn(folder))) {
    return { ...base, host: folder, port: SOCKET_PORT };
  }
  const file = join(dataFolder(folder), 'postmaster.pid');
  const [, , , port, , host] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return port && host ? { ...base, host, port: Number(port), password: readPassword(folder) } : null;
}

/** True if Postgres can listen on a socket in the folder: some file systems have none, and a path may be too long. */
async function hasSockets(folder: string): Promise<boolean> {
  if (isWindows || Buffer.byteLength(socketIn(folder)) > LONGEST_PATH) return false;
  const path = join(folder, '.s.PGSQL.0');
  rmSync(path, { force: true });
  const server = createServer().listen(path);
  try {
    await once(server, 'listening');
    server.close();
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function addressSettings(folder: string): Promise<string[]> {
  return (await hasSockets(folder))
    ? // Relative to the data folder, so that the length of the path does not matter.
      ['listen_addresses=', 'unix_socket_directories=..', `port=${SOCKET_PORT}`]
    : [`listen_addresses=${LOOPBACK}`, 'unix_socket_directories=', `port=${await freePort()}`];
}

/** A started Postgres process. */
export interface Launched {
  /** Null while it runs; `locked` if another Postgres has the folder; otherwise the reason of its end. */
  failure(): string | null;
}

export interface LaunchOptions extends FolderOptions {
  /** True to make the database if there is none. */
  readonly mayCreate: boolean;
}

function removed(folder: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'not a database',
    `The database in ${folder} was removed while it was open. Put it back, or stop Barometer and start it again.`,
  );
}

/** Starts Postgres. Throws `DatabaseUnavailable`. */
export async function launch(folder: string, options: LaunchOptions): Promise<Launched> {
  try {
    return await start(folder, options);
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}

async function start(at: string, options: LaunchOptions): Promise<Launched> {
  const isMade = holdsDatabase(at);
  if (!isMade && !options.mayCreate) throw removed(at);
  const { user, path: folder } = await preparePlace(at, options);
  const programs = await findPrograms(folder, user);
  if (!isMade) await createData(folder, programs, user);
  const data = dataFolder(folder);
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'w', 0o600);
  if (user.ids.uid !== undefined && user.ids.gid !== undefined) fchownSync(log, user.ids.uid, user.ids.gid);
  const settings = [...(await addressSettings(folder)), ...SETTINGS];
  // pg_ctl drops the rights of an administrator, with which Postgres refuses to run.
  const command = isWindows
    ? [
        programIn(programs, 'pg_ctl'),
        'start',
        '-w',
        '-D',
        data,
        '-o',
        settings.map((setting) => `-c ${setting}`).join(' '),
      ]
    : [
        ...[...user.wrapper, '/bin/sh', '-c', START, 'sh', data, programIn(programs, 'postgres')],
        ...['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      ];
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, {
    ...user.ids,
    // A session of its own: Ctrl-C at a terminal must not stop Postgres before its clients.
    detached: true,
    cwd: folder,
    env: programEnvironment(),
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  closeSync(log);
  child.unref();
  let failure: string | null = null;
  child.once('error', (error) => {
    failure = error.message;
  });
  child.once('exit', (code) => {
    if (isWindows && code === 0) return;
    // The folder may have been removed.
    const output = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
    const reason = /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? output.trim();
    failure =
      code === LOCKED || /lock file .* already exists/.test(output) ? 'locked' : reason || `code ${code}`;
  });
  return { failure: () => failure };
}

/** Time to wait for Postgres to write its last checkpoint (ms). */
const STOP_MS = 30_000;

/** Stops the server over one of its sessions, ends all sessions, and waits until it has stopped. */
export async function stopServer(folder: string, client: Client): Promise<void> {
  const file = join(dataFolder(folder), 'postmaster.pid');
  if (isWindows) {
    const programs = await findPrograms(folder, { ids: {}, wrapper: [] });
    await run({ ids: {}, wrapper: [] }, programIn(programs, 'pg_ctl'), [
      'stop',
      '-m',
      'fast',
      '-D',
      dataFolder(folder),
    ]);
  } else {
    // Ends with the error of a session that the stop has ended.
    await client.query(STOP).catch(() => undefined);
  }
  for (let waited = 0; existsSync(file) && waited < STOP_MS; waited += 10) await delay(10);
}
