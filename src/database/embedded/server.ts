import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fchownSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ListenOptions } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientConfig } from 'pg';
import { DatabaseUnavailable } from '../failures.ts';
import { createData, dataFolder, holdsDatabase, readPassword, SUPERUSER } from './data.ts';
import { findPrograms, programIn } from './programs.ts';
import { type FolderOptions, makeDatabaseFolder, minimalEnvironment, run, SELF } from './user.ts';

const isWindows = process.platform === 'win32';
const LOOPBACK = '127.0.0.1';
/** Port of a socket in a folder, which is only a part of its name. */
const SOCKET_PORT = 5_432;
const socketIn = (folder: string): string => join(folder, `.s.PGSQL.${SOCKET_PORT}`);
/** True if sockets have a path in this folder. macOS has the shortest ones, 103 bytes and a NUL. */
const hasSocketPath = (folder: string): boolean => !isWindows && Buffer.byteLength(socketIn(folder)) <= 103;

/**
 * Settings for a small machine with one application. `timezone` and `jit` would otherwise depend on the machine. The log
 * quotes no statements or rows, because they contain addresses of subscribers.
 */
const SETTINGS = `
  shared_buffers=32MB max_connections=60 min_wal_size=32MB max_wal_size=256MB wal_level=minimal max_wal_senders=0
  max_logical_replication_workers=0 max_parallel_workers_per_gather=0 io_method=sync jit=off timezone=UTC
  unix_socket_permissions=0700 log_min_messages=fatal log_min_error_statement=panic log_timezone=UTC`;

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

/** Stops Postgres from a session, because this process may be another user or have other process ids. */
const STOP = `copy (select) to program 'read pid < postmaster.pid; kill -INT "$pid"'`;

/** Returns the lines of a file; none if it does not exist, or is removed before it is read. */
function linesOf(file: string): string[] {
  if (!existsSync(file)) return [];
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

/** Returns the driver's settings for the running server of a folder; null if there is none. */
export function addressOf(folder: string): ClientConfig | null {
  const base = { user: SUPERUSER, database: SUPERUSER, ssl: false, application_name: 'barometer' };
  if (hasSocketPath(folder) && existsSync(socketIn(folder)))
    return { ...base, host: folder, port: SOCKET_PORT };
  // A start removes the file of an earlier one.
  const [, , , port, , host] = linesOf(join(dataFolder(folder), 'postmaster.pid'));
  return port && host ? { ...base, host, port: Number(port), password: readPassword(folder) } : null;
}

/** Listens for a moment. Returns the port, which is free then; 0 for a socket in a folder. */
async function tryToListen(options: ListenOptions): Promise<number> {
  const server = createServer().listen(options);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Settings for a socket in the folder; for loopback if the file system has no sockets or the path is too long. */
async function addressSettings(folder: string): Promise<string[]> {
  const path = join(folder, '.s.PGSQL.0');
  rmSync(path, { force: true });
  if (hasSocketPath(folder) && (await tryToListen({ path }).catch(() => null)) !== null) {
    // Relative to the data folder, so that the length of the path does not matter.
    return ['listen_addresses=', 'unix_socket_directories=..', `port=${SOCKET_PORT}`];
  }
  const port = await tryToListen({ host: LOOPBACK, port: 0 });
  return [`listen_addresses=${LOOPBACK}`, 'unix_socket_directories=', `port=${port}`];
}

/** A started Postgres: null while it runs; `locked` if another one has the folder; otherwise the reason of its end. */
export type Launched = { failure: string | null };

/** Starts Postgres. Makes the database if there is none and `mayCreate`. */
export async function launch(at: string, mayCreate: boolean, options: FolderOptions): Promise<Launched> {
  const isMade = holdsDatabase(at);
  if (!isMade && !mayCreate) {
    throw new DatabaseUnavailable(
      'unusable',
      `The database in ${at} was removed while it was open. Put it back, or stop Barometer and start it again.`,
    );
  }
  const { user, path: folder } = await makeDatabaseFolder(at, options);
  const programs = await findPrograms(folder, user);
  if (!isMade) await createData(folder, programs, user);
  const data = dataFolder(folder);
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'w', 0o600);
  fchownSync(log, user.ids.uid ?? -1, user.ids.gid ?? -1);
  const settings = [...(await addressSettings(folder)), ...SETTINGS.trim().split(/\s+/)].flatMap(
    (setting) => ['-c', setting],
  );
  // pg_ctl drops the rights of an administrator, with which Postgres refuses to run.
  const [program = '', ...parameters] = isWindows
    ? [programIn(programs, 'pg_ctl'), 'start', '-w', '-D', data, '-o', settings.join(' ')]
    : [
        ...[...user.wrapper, '/bin/sh', '-c', START, 'sh', data],
        ...[programIn(programs, 'postgres'), '-D', data, ...settings],
      ];
  const child = spawn(program, parameters, {
    ...user.ids,
    // A session of its own: Ctrl-C at a terminal must not stop Postgres before its clients.
    detached: true,
    cwd: folder,
    env: minimalEnvironment(),
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  closeSync(log);
  child.unref();
  const launched: Launched = { failure: null };
  child.once('error', (error) => {
    launched.failure = error.message;
  });
  child.once('exit', (code) => {
    if (isWindows && code === 0) return;
    // The folder may have been removed.
    const output = existsSync(logFile) ? readFileSync(logFile, 'utf8').trim() : '';
    const isLocked = code === 75 || /lock file .* already exists/.test(output);
    launched.failure = isLocked ? 'locked' : output || `code ${code}`;
  });
  return launched;
}

const STOP_MS = 30_000;

/** Stops the server over one of its sessions, ends all sessions, and waits until it has stopped. */
export async function stopServer(folder: string, client: Client): Promise<void> {
  const data = dataFolder(folder);
  if (isWindows)
    await run(SELF, programIn(await findPrograms(folder, SELF), 'pg_ctl'), 'stop', '-m', 'fast', '-D', data);
  // Ends with the error of a session that the stop has ended.
  else await client.query(STOP).catch(() => undefined);
  const file = join(data, 'postmaster.pid');
  for (let waited = 0; existsSync(file) && waited < STOP_MS; waited += 10) await delay(10);
}
