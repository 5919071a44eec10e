import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and those above it. Node's `recursive` option never returns in file systems like /proc. */
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

/** Flushes the file names in a folder to the disk (fsync), if the system can do that. */
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
