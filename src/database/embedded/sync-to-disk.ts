import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes an open file to the disk. */
type Flush = (file: number) => void;

function sync(path: string, flags: 'r' | 'r+', flush: Flush): void {
  const file = openSync(path, flags);
  try {
    flush(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a file to the disk (fsync). Windows can flush only a file that is open for writing. */
export function syncFile(path: string): void {
  sync(path, 'r+', fsyncSync);
}

/** Errors of systems that cannot flush a folder: Windows and some network drives. */
const NOT_FOR_FOLDERS = ['EISDIR', 'EPERM', 'EINVAL'];

/**
 * Flushes the file names in a folder to the disk (fsync). Does nothing if the system cannot flush folders, because it
 * has no other way to flush the names.
 */
export function syncFolder(path: string, flush: Flush = fsyncSync): void {
  try {
    sync(path, 'r', flush);
  } catch (error) {
    if (!NOT_FOR_FOLDERS.includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
