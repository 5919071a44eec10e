import { readFileSync, rmSync } from 'node:fs';

// Delete this file one release after the lock became a folder of sockets.

/** Clock ticks from boot to the start of a process; null if unknown. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number, started: unknown): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const startedNow = startOf(pid);
  return typeof started !== 'string' || startedNow === null || started === startedNow;
}

/**
 * Removes the lock file that an earlier version left, and returns null. Returns the pid if that process is
 * alive in this PID namespace, the only one that version knows.
 */
export function removeOlderLock(path: string): number | null {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown; started?: unknown };
    if (typeof pid === 'number' && isAlive(pid, started)) return pid;
  } catch (error) {
    // EISDIR: it is this version's folder.
    if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    if (!(error instanceof SyntaxError)) throw error;
  }
  rmSync(path, { force: true });
  return null;
}
