import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import {
  ask,
  askInFolder,
  isSocketName,
  type LockReply,
  type LockState,
  listen,
  listenInFolder,
} from './lock-socket.ts';
import { makeFolder } from './make-folder.ts';
import { removeOlderLock } from './older-lock.ts';

/** Address of a server that accepts commands, and the token it requires. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

/** Pause before a contender looks again at contenders that will withdraw (ms). */
const LOOK_AGAIN_MS = 20;

const isWindows = process.platform === 'win32';

/** The path without symbolic links, so that two paths to one database share one lock. */
const realPath = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : resolve(folder));

/** The folder of the sockets, beside the database. A file of this name is the lock of an earlier version. */
const lockFolder = (folder: string): string => `${realPath(folder)}.lock`;

/** The named pipe of the folder on Windows, which the system gives to one process and takes back at its end. */
function pipeOf(folder: string): string {
  const digest = createHash('sha256').update(realPath(folder).toLowerCase()).digest('hex');
  return `\\\\.\\pipe\\barometer-${digest.slice(0, 32)}`;
}

function inUse(folder: string, reply: LockReply | 'silent'): DatabaseUnavailable {
  const isHere = reply === 'silent' || reply.host === hostname();
  const by =
    reply === 'silent'
      ? 'a process that does not respond'
      : `process ${reply.pid}${isHere ? '' : ` on ${reply.host}`}${reply.url ? `, which serves ${reply.url}` : ''}`;
  return new DatabaseUnavailable(
    'locked',
    `The database in ${folder} is in use by ${by}: stop it first, or use another data folder.`,
  );
}

interface Other {
  readonly name: string;
  readonly state: LockReply | 'silent' | 'gone';
}

/** The other processes that listen in the lock folder. Removes the sockets of dead ones: no name is used twice. */
async function findOthers(path: string, ownName: string | null): Promise<Other[]> {
  const names = readdirSync(path).filter((name) => isSocketName(name) && name !== ownName);
  const others = await Promise.all(
    names.map(async (name): Promise<Other | null> => {
      const state = await askInFolder(path, name);
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
      if (state === 'silent' || state.state === 'holds' || name < ownName) throw inUse(folder, state);
    }
    await delay(LOOK_AGAIN_MS);
  }
}

function makeLockFolder(folder: string): string {
  const path = lockFolder(folder);
  const pid = removeOlderLock(path);
  if (pid !== null) throw inUse(folder, { state: 'holds', pid, host: hostname() });
  makeFolder(path);
  chmodSync(path, 0o700);
  return path;
}

/**
 * Listens in the lock folder, then looks at the others who do, and holds the lock once there are none: of any two
 * processes, the later one to listen sees the earlier one. docs/decisions/2026-11-22-lock.md has the argument.
 */
async function takeInFolder(folder: string, reply: () => LockReply, hold: () => void): Promise<() => void> {
  const path = makeLockFolder(folder);
  const { name, server } = await listenInFolder(path, reply);
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

async function takePipe(folder: string, reply: () => LockReply, hold: () => void): Promise<() => void> {
  let server: Server;
  try {
    server = await listen(pipeOf(folder), reply);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const state = await ask(pipeOf(folder));
    throw inUse(folder, typeof state === 'string' ? 'silent' : state);
  }
  hold();
  return () => server.close();
}

/**
 * Takes the lock of this folder and returns what releases it; the end of the process does so too. PGlite takes no
 * lock, and two of them destroy a folder. `address` is read at each request of another process. Throws
 * `DatabaseUnavailable` if a living process on this machine, in whichever container, holds it.
 */
export async function takeLock(
  folder: string,
  address: () => ServerAddress | null = () => null,
): Promise<() => void> {
  let state: LockReply['state'] = 'contends';
  const reply = () => ({ state, pid: process.pid, host: hostname(), ...address() });
  const hold = () => {
    state = 'holds';
  };
  try {
    return await (isWindows ? takePipe : takeInFolder)(folder, reply, hold);
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}

/** The process that holds the database of this folder; null if none does, or it does not respond. */
export async function readLock(folder: string): Promise<LockReply | null> {
  if (isWindows) return holderIn([await ask(pipeOf(folder))]);
  try {
    return holderIn((await findOthers(lockFolder(folder), null)).map(({ state }) => state));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // No lock was ever taken there, or only by an earlier version.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unavailableFrom(error as Error, folder);
  }
}

const holderIn = (states: readonly LockState[]): LockReply | null =>
  states.find((state): state is LockReply => typeof state !== 'string' && state.state === 'holds') ?? null;
