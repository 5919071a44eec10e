import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, realpathSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseUnavailable } from '../failures.ts';
import { makeFolder } from './folders.ts';

/** The user that runs the programs of Postgres, which refuse to run as root. */
export interface ServerUser {
  /** User and group of the process; empty for those of this process. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** A program with its parameters that starts the programs of Postgres; empty if none is needed. */
  readonly wrapper: readonly string[];
}

export const SELF: ServerUser = { ids: {}, wrapper: [] };
const NOBODY = 65_534;
/** Outside of the user namespace, files and processes still belong to root. */
const IN_NAMESPACE: ServerUser = {
  ids: {},
  wrapper: ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`],
};

/** Environment of the programs: no settings, secrets or locale of this process. */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', SystemRoot, TEMP, TMP } = process.env;
  if (process.platform === 'win32') return { PATH, LC_ALL: 'C', SystemRoot, TEMP, TMP };
  return { PATH: `${PATH}:/usr/bin:/bin`, LC_ALL: 'C' };
}

/** Runs a program as this user to its end. Throws an error with its output if it fails. */
export async function run(user: ServerUser, program: string, ...parameters: string[]): Promise<void> {
  const [first = program, ...rest] = [...user.wrapper, program, ...parameters];
  const options = { ...user.ids, cwd: '/', env: minimalEnvironment(), windowsHide: true };
  await promisify(execFile)(first, rest, options);
}

export const succeeds = (user: ServerUser, program: string, ...parameters: string[]): Promise<boolean> =>
  run(user, program, ...parameters).then(
    () => true,
    () => false,
  );

const canEnter = (user: ServerUser, folder: string): Promise<boolean> =>
  succeeds(user, '/bin/sh', '-c', 'cd -- "$1"', 'sh', folder);

export function giveTo({ ids: { uid, gid } }: ServerUser, folder: string): void {
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  if (readdirSync(folder).length > 0) spawnSync('chown', ['-R', `${uid}:${gid}`, folder]);
}

/** The user of the parent folder; `nobody` if that is root. */
export function ordinaryUser(parent: string): ServerUser {
  const { uid, gid } = statSync(parent);
  if (uid !== 0) return { ids: { uid, gid }, wrapper: [] };
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { ids: { uid: idOf('-u') || NOBODY, gid: idOf('-g') || NOBODY }, wrapper: [] };
}

export interface FolderOptions {
  /** A folder for root's databases whose own place no other user can enter; null to refuse such a place. */
  readonly elsewhere: string | null;
  /** Receives a sentence for the operator, such as that Postgres was started again. */
  readonly report: (sentence: string) => void;
}

/**
 * Makes the folder of the database, private to the user that runs Postgres. Returns its real path and this user, in a
 * user namespace if it has no name. Root tries the owner, an ordinary user, a user namespace, and a folder elsewhere.
 */
export async function makeDatabaseFolder(
  folder: string,
  { elsewhere, report }: FolderOptions,
): Promise<{ user: ServerUser; path: string }> {
  const isRoot = process.getuid?.() === 0;
  // The ordinary user must pass through the data folder of root.
  makeFolder(dirname(folder), isRoot ? 0o711 : 0o700);
  makeFolder(folder, 0o700);
  const path = realpathSync(folder);
  chmodSync(path, 0o700);
  // A container may have been started with a user id that the system does not know.
  const hasName = process.platform === 'win32' || (!isRoot && (await succeeds(SELF, 'id', '-un')));
  if (hasName) return { user: SELF, path };
  const { uid, gid } = statSync(path);
  const ordinary = ordinaryUser(dirname(path));
  if (isRoot && uid !== 0) {
    const owner: ServerUser = { ids: { uid, gid }, wrapper: [] };
    if (await canEnter(owner, path)) return { user: owner, path };
    throw notForOthers(folder);
  }
  if (isRoot && (await canEnter(ordinary, dirname(path)))) {
    giveTo(ordinary, path);
    return { user: ordinary, path };
  }
  if (await canEnter(IN_NAMESPACE, path)) return { user: IN_NAMESPACE, path };
  if (!isRoot) {
    throw new DatabaseUnavailable(
      'unusable',
      `Postgres runs only for a user with a name, and user ${process.getuid?.()} has none. Start Barometer as a user of /etc/passwd, or set DATABASE_URL to a Postgres 15 or newer.`,
    );
  }
  const isEmpty = readdirSync(path).length === 0;
  if (elsewhere === null || !isEmpty || !(await canEnter(ordinary, dirname(elsewhere))))
    throw notForOthers(folder);
  const place = join(elsewhere, createHash('sha256').update(folder).digest('hex').slice(0, 16));
  makeFolder(place);
  chmodSync(place, 0o700);
  rmdirSync(folder);
  symlinkSync(place, folder);
  giveTo(ordinary, folder);
  report(
    `The database is in ${elsewhere}, because Postgres does not run as root and no other user can enter ${dirname(folder)}.`,
  );
  return { user: ordinary, path: realpathSync(folder) };
}

const notForOthers = (folder: string) =>
  new DatabaseUnavailable(
    'unusable',
    `Postgres does not run as root, and no other user can enter ${folder}. Start Barometer as another user, or set BAROMETER_DATA_DIR to a folder that others can enter, such as /srv/barometer.`,
  );
