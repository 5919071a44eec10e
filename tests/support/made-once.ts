import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';

/** Age (ms) from which a folder belongs to a build that is no longer tested. */
const OLD = 90 * 60_000;

/** The time on the clock of the file system, which a shifted clock (`npm run any-date`) does not shift. */
function fileSystemTime(): Date {
  const probe = mkdtempSync(join(tmpdir(), 'barometer-clock-'));
  const { mtime } = statSync(probe);
  rmdirSync(probe);
  return mtime;
}

function removeOld(prefix: string): void {
  const now = fileSystemTime().getTime();
  for (const name of readdirSync(tmpdir()).filter((found) => found.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: now };
    if (now - mtimeMs > OLD) rmSync(path, { recursive: true, force: true });
  }
}

const builtSources = () => readFileSync(join(ROOT, 'dist', '.sources'), 'utf8').slice(0, 16);

/**
 * Makes an expensive folder once per value of `by` (by default the current build) and keeps it for later test files:
 * copy from it, never write to it. `make` gets an empty folder beside it. If several processes make it at once, one
 * result is kept.
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
  by = builtSources(),
): Promise<string> {
  const prefix = `barometer-made-${process.getuid?.() ?? 0}-`;
  const made = join(tmpdir(), `${prefix}${name}-${by}`);
  if (existsSync(made)) {
    // Update the time of a folder in use, so that no one removes it as old during a copy.
    const now = fileSystemTime();
    utimesSync(made, now, now);
    return made;
  }
  removeOld(prefix);
  const beside = mkdtempSync(join(tmpdir(), 'barometer-making-'));
  const folder = join(beside, 'made');
  mkdirSync(folder);
  // The user of Postgres must be able to enter the folder.
  for (const path of [beside, folder]) chmodSync(path, 0o755);
  try {
    await make(folder);
    renameSync(folder, made);
  } catch (error) {
    if (!existsSync(made)) throw error; // another test file has made the folder first
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return made;
}
