import { closeSync, fsyncSync, openSync } from 'node:fs';

function sync(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Flushes a file to the disk (fsync). Windows can flush only a file that is open for writing. */
export function syncFile(path: string): void {
  sync(path, 'r+');
}

/**
 * Flushes the file names in a folder to the disk (fsync). Does nothing on Windows, which cannot open a folder and whose
 * file system logs file names itself.
 */
export function syncFolder(path: string, platform = process.platform): void {
  if (platform !== 'win32') sync(path, 'r');
}
