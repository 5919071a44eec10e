import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, with `mode` less the umask. Node's `recursive` option never returns if
 * the file system refuses a folder with ENOENT although its parent exists, like /proc. Throws the error of the call
 * that failed.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created the folder meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Flushes the file names in a folder to the disk (fsync). Does nothing if the system cannot flush folders, because it
 * has no other way to flush the names.
 */
export function syncFolder(path: string): void {
  let folder: number | undefined;
  try {
    folder = openSync(path, 'r');
    fsyncSync(folder);
  } catch (error) {
    // Windows and some network drives cannot flush a folder.
    if (!['EISDIR', 'EPERM', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
