import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import { makeFolder } from './make-folder.ts';

/** Where the process that holds the database can be asked. */
export interface LockDetails {
  url?: string;
  token?: string;
}

export interface LockHolder extends LockDetails {
  pid: number;
  /** When the process started, as the system counts it; null where that cannot be known. */
  started: string | null;
}

const lockFile = (folder: string): string => `${folder}.lock`;

/** Ticks since boot at which a process started: a number given out again belongs to another process. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive({ pid, started }: LockHolder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const startedNow = startOf(pid);
  return started === null || startedNow === null || started === startedNow;
}

function parseHolder(text: string): LockHolder | null {
  try {
    const holder: unknown = JSON.parse(text);
    if (typeof holder !== 'object' || holder === null || !('pid' in holder)) return null;
    return typeof holder.pid === 'number' ? (holder as LockHolder) : null;
  } catch {
    return null;
  }
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function liveHolder(text: string | null): LockHolder | null {
  const holder = text === null ? null : parseHolder(text);
  return holder && isAlive(holder) ? holder : null;
}

/** The living process that holds the database of this folder; null when nobody does. */
export function readLock(folder: string): LockHolder | null {
  return liveHolder(readFile(lockFile(folder)));
}

function self(): LockHolder {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** Adds to this process's lock where it can be asked. The file is readable by its user only. */
export function writeLockDetails(folder: string, details: LockDetails): void {
  const path = lockFile(folder);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ ...self(), ...details }), { mode: 0o600 });
  renameSync(draft, path);
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes a dead process's lock away, unless another process has just put its own there. */
function removeStale(path: string, stale: string, aside: string): void {
  renameSync(path, aside);
  if (readFile(aside) !== stale) linked(aside, path);
  unlinkSync(aside);
}

function take(path: string, draft: string): LockHolder | null {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (linked(draft, path)) return null;
    const present = readFile(path);
    const holder = liveHolder(present);
    if (holder) return holder;
    if (present !== null) removeStale(path, present, `${draft}.stale`);
  }
  return self();
}

/**
 * Takes the lock of this folder; answers what gives it back. Throws `DatabaseUnavailable` when a living
 * process holds it: PGlite takes no lock of its own, and two of them destroy a folder.
 */
export function takeLock(folder: string): () => void {
  const path = lockFile(folder);
  const draft = `${path}.${process.pid}`;
  let holder: LockHolder | null;
  try {
    makeFolder(dirname(path));
    writeFileSync(draft, JSON.stringify(self()), { mode: 0o600 });
    holder = take(path, draft);
  } catch (error) {
    throw unavailableFrom(error as Error, folder);
  } finally {
    try {
      rmSync(draft, { force: true });
    } catch {}
  }
  if (holder) {
    throw new DatabaseUnavailable(
      'locked',
      `The database in ${folder} is in use by process ${holder.pid}${holder.url ? `, which serves ${holder.url}` : ''}: stop it first, or use another data folder.`,
    );
  }
  return () => {
    const present = readFile(path);
    const ours = present === null ? null : parseHolder(present);
    if (ours?.pid === process.pid) rmSync(path, { force: true });
  };
}
