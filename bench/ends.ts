import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers a clean-up function. Clean-up runs in reverse order. */
export type AtEnd = (end: () => unknown) => void;

/**
 * Runs work, then its clean-up functions: when it finishes, fails, or the process gets a signal, which then ends the
 * process.
 */
export async function withEnds<T>(work: (atEnd: AtEnd) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  let ending: Promise<void> | null = null;
  const endAll = () => {
    ending ??= (async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end();
        } catch (error) {
          console.error(error);
        }
      }
    })();
    return ending;
  };
  const stop = async () => {
    await endAll();
    process.exit(130);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work((end) => ends.push(end));
  } finally {
    await endAll();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** A temporary folder, removed at clean-up. */
export function temporaryFolder(atEnd: AtEnd): string {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a clock. Returns a function that reads it (s). */
export function seconds(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}
