import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';

/** Older ones are of builds that nobody tests any more (ms). */
const OLD = 90 * 60_000;

function removeOld(prefix: string): void {
  for (const name of readdirSync(tmpdir()).filter((found) => found.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OLD) rmSync(path, { recursive: true, force: true });
  }
}

const builtSources = () => readFileSync(join(ROOT, 'dist', '.sources'), 'utf8').slice(0, 16);

/**
 * A folder that is dear to make, made once for what it is made by, the build as it is if nothing else is said, and kept for
 * the test files that come: to be copied from, never to be written to. `make` gets an empty folder beside it; of several that
 * make it at once one is kept.
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
  by = builtSources(),
): Promise<string> {
  const prefix = `barometer-made-${process.getuid?.() ?? 0}-`;
  const made = join(tmpdir(), `${prefix}${name}-${by}`);
  if (existsSync(made)) {
    // What is in use is not old, so nobody removes it while it is copied.
    utimesSync(made, new Date(), new Date());
    return made;
  }
  removeOld(prefix);
  const beside = mkdtempSync(join(tmpdir(), 'barometer-making-'));
  const folder = join(beside, 'made');
  mkdirSync(folder);
  try {
    await make(folder);
    renameSync(folder, made);
  } catch (error) {
    if (!existsSync(made)) throw error; // another test file was quicker
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return made;
}
