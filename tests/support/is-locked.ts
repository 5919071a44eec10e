import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** True if the Postgres of a database folder runs. */
export function isLocked(folder: string): boolean {
  const file = join(folder, 'data', 'postmaster.pid');
  try {
    return existsSync(file) && process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 0);
  } catch {
    return false;
  }
}
