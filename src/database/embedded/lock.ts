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

/** Pause before a contender looks again at contenders that will withdraw (ms). */
const LOOK_AGAIN_MS = 20;

const isWindows = process.platform === 'win32';

/** The path without symbolic links, so that two paths to one database share one lock. */
const realPath = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : resolve(folder));

/** The folder of the sockets, beside the database. */
const lockFolder = (folder: string): string => `${realPath(folder)}.lock`;

/** The named pipe of the folder on Windows, which the system gives to one process and takes back at its end. */
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
    `The database in ${folder} is in use by ${describeHolder(state)}: stop it first, or use another data folder.`,
  );
}

interface Other {
  readonly name: string;
  readonly state: Exclude<LockState, 'dead'>;
}

/** The other processes that listen in the lock folder. Removes the sockets of dead ones: no name is used twice. */
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

/** Waits until no other process listens. Throws `DatabaseUnavailable` if one holds the lock or comes first. */
async function outlast(folder: string, path: string, ownName: string): Promise<void> {
  for (;;) {
    const others = await findOthers(path, ownName);
    if (others.length === 0) return;
    for (const { name, state } of others) {
      if (state === 'gone') continue;
      const isContender = typeof state !== 'string' && state.state === 'contends';
      if (!isContender || name < ownName) throw inUse(folder, state);
    }
    await delay(LOOK_AGAIN_MS);
  }
}

function makeLockFolder(folder: string): string {
  const path = lockFolder(folder);
  makeFolder(path);
  chmodSync(path, 0o700);
  return path;
}

/**
 * Listens in the lock folder, then looks at the others who do, and holds the lock once there are none: of any two
 * processes, the later one to listen sees the earlier one. docs/decisions/2026-11-22-lock.md has the argument.
 */
async function takeInFolder(folder: string, service: LockServer, hold: () => void): Promise<() => void> {
  const path = makeLockFolder(folder);
  const { name, server } = await listenInFolder(path, service);
  const release = () => {
    rmSync(join(path, name), { force: true });
    server.close();
  };
  try {
    await outlast(folder, path, name);
  } catch (error) {
    release();
    throw error;
  }
  hold();
  return release;
}

async function takePipe(folder: string, service: LockServer, hold: () => void): Promise<() => void> {
  let server: Server;
  try {
    server = await listen(pipeOf(folder), service);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const state = await contact(pipeOf(folder));
    throw inUse(folder, state === 'dead' || state === 'gone' ? 'silent' : state);
  }
  hold();
  return () => server.close();
}

/**
 * Takes the lock of this folder and returns a function that releases it; the end of the process does so too. PGlite takes
 * no lock, and two of them destroy a folder. `onClient` gets the connections of processes that ask the holder for the
 * database. Throws `DatabaseUnavailable` if a living process on this machine, in whichever container, holds the lock.
 */
export async function takeLock(
  folder: string,
  onClient: (socket: Socket) => void = (socket) => socket.end(),
): Promise<() => void> {
  let state: LockReply['state'] = 'contends';
  const service: LockServer = {
    reply: () => ({ state, pid: process.pid, host: hostname() }),
    onClient,
  };
  const hold = () => {
    state = 'holds';
  };
  try {
    return await (isWindows ? takePipe : takeInFolder)(folder, service, hold);
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}

/** Connects to the process that holds the database of this folder; null if none does, or it does not respond. */
export async function connectToHolder(folder: string): Promise<Socket | null> {
  const sockets: Socket[] = [];
  const keep = (socket: Socket) => void sockets.push(socket);
  try {
    if (isWindows) await contact(pipeOf(folder), keep);
    else await findOthers(lockFolder(folder), null, keep);
  } catch (error) {
    // Without a lock folder, no process has taken the lock yet.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
  return sockets[0] ?? null;
}
