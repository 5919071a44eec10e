import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import {
  contact,
  contactInFolder,
  isSocketName,
  type Keep,
  type LockReply,
  type LockServer,
  type LockState,
  listen,
  listenInFolder,
} from './lock-socket.ts';
import { makeFolder } from './make-folder.ts';

/** Pause before a contender checks again whether the others have given up (ms). */
const RETRY_MS = 20;

const isWindows = process.platform === 'win32';

/** Returns the path without symbolic links, so that all paths to one database share one lock. */
const realPath = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : resolve(folder));

/** The folder of the sockets, beside the folder of the database. */
const lockFolder = (folder: string): string => `${realPath(folder)}.lock`;

/**
 * Name of the pipe that locks the folder on Windows. Only one process at a time can own the pipe, until that process
 * ends.
 */
function pipeOf(folder: string): string {
  const digest = createHash('sha256').update(realPath(folder).toLowerCase()).digest('hex');
  return `\\\\.\\pipe\\barometer-${digest.slice(0, 32)}`;
}

function describeHolder(state: LockReply | 'silent' | 'foreign'): string {
  if (state === 'silent') return 'a process that does not respond';
  if (state === 'foreign') return 'a process of another user';
  return `process ${state.pid}${state.host === hostname() ? '' : ` on ${state.host}`}`;
}

function inUse(folder: string, state: LockReply | 'silent' | 'foreign'): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'locked',
    `The database in ${folder} is in use by ${describeHolder(state)}: stop that process first, or set another BAROMETER_DATA_DIR.`,
  );
}

interface Other {
  readonly name: string;
  readonly state: Exclude<LockState, 'dead'>;
}

/**
 * Finds the other processes that listen in the lock folder. Deletes the socket of each process that has ended. No later
 * process uses the name of an earlier socket, so no socket in use is deleted.
 */
async function findOthers(path: string, ownName: string | null, keep?: Keep): Promise<Other[]> {
  const names = readdirSync(path).filter((name) => isSocketName(name) && name !== ownName);
  const others = await Promise.all(
    names.map(async (name): Promise<Other | null> => {
      const state = await contactInFolder(path, name, keep);
      if (state !== 'dead') return { name, state };
      rmSync(join(path, name), { force: true });
      return null;
    }),
  );
  return others.filter((other) => other !== null);
}

/**
 * Waits until no other process listens in the lock folder. Throws `DatabaseUnavailable` if another process has the
 * lock, or if the name of another process's socket sorts before `ownName`.
 */
async function waitForOthers(folder: string, path: string, ownName: string): Promise<void> {
  for (;;) {
    const others = await findOthers(path, ownName);
    if (others.length === 0) return;
    for (const { name, state } of others) {
      if (state === 'gone') continue;
      const isContender = typeof state !== 'string' && state.state === 'contends';
      if (!isContender || name < ownName) throw inUse(folder, state);
    }
    await delay(RETRY_MS);
  }
}

function makeLockFolder(folder: string): string {
  const path = lockFolder(folder);
  makeFolder(path);
  chmodSync(path, 0o700);
  return path;
}

/**
 * Listens in the lock folder, then waits until no other process does. The later of two processes always finds the earlier
 * one. docs/decisions/2026-11-22-lock.md has the proof.
 */
async function takeInFolder(folder: string, service: LockServer): Promise<() => void> {
  const path = makeLockFolder(folder);
  const { name, server } = await listenInFolder(path, service);
  const release = () => {
    rmSync(join(path, name), { force: true });
    server.close();
  };
  try {
    await waitForOthers(folder, path, name);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

async function takePipe(folder: string, service: LockServer): Promise<() => void> {
  let server: Server;
  try {
    server = await listen(pipeOf(folder), service);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const state = await contact(pipeOf(folder));
    throw inUse(folder, state === 'dead' || state === 'gone' ? 'silent' : state);
  }
  return () => server.close();
}

/**
 * Takes the lock of this folder and returns a function that releases the lock. The end of the process also releases it.
 * PGlite has no lock, and two PGlite instances in one folder destroy the database. `onClient` receives the connections
 * of `connectToHolder`, paused. Throws `DatabaseUnavailable` if another process has the lock, in any container of this
 * machine.
 */
export async function takeLock(
  folder: string,
  onClient: (socket: Socket) => void = (socket) => socket.end(),
): Promise<() => void> {
  let isHolder = false;
  try {
    const take = isWindows ? takePipe : takeInFolder;
    const release = await take(folder, { isHolder: () => isHolder, onClient });
    isHolder = true;
    return release;
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}

/**
 * Connects to the process that has the lock of this folder; null if no process has the lock, or if the process does not
 * reply.
 */
export async function connectToHolder(folder: string): Promise<Socket | null> {
  const sockets: Socket[] = [];
  const keep = (socket: Socket) => void sockets.push(socket);
  try {
    if (isWindows) await contact(pipeOf(folder), keep);
    else await findOthers(lockFolder(folder), null, keep);
  } catch (error) {
    // The lock folder does not exist until a process first takes the lock.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
  return sockets[0] ?? null;
}
