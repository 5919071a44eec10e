import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, realpathSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';
import { makeFolder } from './make-folder.ts';

/** The user that runs the programs of Postgres, which refuse to run as root. */
export interface ServerUser {
  /** User and group of the process; empty for those of this process. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** A program with its parameters that starts the programs of Postgres; empty if none is needed. */
  readonly wrapper: readonly string[];
}

const SELF: ServerUser = { ids: {}, wrapper: [] };
const NOBODY = 65_534;
/** Outside of the user namespace, files and processes still belong to root. */
const IN_NAMESPACE: ServerUser = {
  ids: {},
  wrapper: ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`],
};

const isRoot = (): boolean => process.getuid?.() === 0;

/** Environment of the programs: no settings, secrets or locale of this process. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', SystemRoot, TEMP, TMP } = process.env;
  if (process.platform === 'win32') return { PATH, LC_ALL: 'C', SystemRoot, TEMP, TMP };
  return { PATH: `${PATH}:/usr/bin:/bin`, LC_ALL: 'C' };
}

/** Runs a program as this user to its end. The code is null if the program could not be started. */
export function run(
  { ids, wrapper }: ServerUser,
  program: string,
  parameters: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const [first = program, ...rest] = [...wrapper, program, ...parameters];
  return new Promise((resolve) => {
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
    };
    const failed = (error: unknown) => resolve({ code: null, output: String(error) });
    try {
      const child = spawn(first, rest, {
        ...ids,
        cwd: '/',
        env: programEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      });
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      child.once('error', failed);
      child.once('close', (code) => resolve({ code, output }));
    } catch (error) {
      failed(error);
    }
  });
}

export const succeeds = async (
  user: ServerUser,
  program: string,
  parameters: readonly string[],
): Promise<boolean> => (await run(user, program, parameters)).code === 0;

const canEnter = (user: ServerUser, folder: string): Promise<boolean> =>
  succeeds(user, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder]);

/** Gives a folder and its content to the user. */
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

/** False for a user id that the system does not know, such as in a container that was started with any user id. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** Moves the place of an empty folder to `elsewhere`, with a symbolic link. */
function placeElsewhere(folder: string, elsewhere: string): void {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const place = join(elsewhere, digest);
  makeFolder(place);
  chmodSync(place, 0o700);
  rmdirSync(folder);
  symlinkSync(place, folder);
}

export interface FolderOptions {
  /** A folder for root's databases whose own place no other user can enter; null to refuse such a place. */
  readonly elsewhere: string | null;
  /** Receives a sentence for the operator. */
  readonly report: (sentence: string) => void;
}

/** A folder in which a user can run Postgres. */
export interface Place {
  readonly user: ServerUser;
  /** Path of the folder without symbolic links. */
  readonly path: string;
}

/**
 * Makes the folder of the database if it is missing, private to the user that runs Postgres: the user of this process, in
 * a user namespace if that user has no name, because `initdb` refuses such a user. Root tries the folder's owner, an
 * ordinary user who can enter the folder, a user namespace, and an ordinary user with a folder elsewhere. Throws
 * `DatabaseUnavailable` if Postgres cannot run in this folder.
 */
export async function preparePlace(folder: string, { elsewhere, report }: FolderOptions): Promise<Place> {
  // The ordinary user must pass through the data folder of root.
  makeFolder(dirname(folder), isRoot() ? 0o711 : 0o700);
  makeFolder(folder, 0o700);
  const path = realpathSync(folder);
  chmodSync(path, 0o700);
  if (!isRoot()) {
    if (hasName()) return { user: SELF, path };
    if (await canEnter(IN_NAMESPACE, path)) return { user: IN_NAMESPACE, path };
    throw new DatabaseUnavailable(
      'misconfigured',
      `Postgres runs only for a user with a name, and user ${process.getuid?.()} has none. Start Barometer as a user of /etc/passwd, or set DATABASE_URL to a Postgres 15 or newer.`,
    );
  }
  const { uid, gid } = statSync(path);
  const owner: ServerUser = { ids: { uid, gid }, wrapper: [] };
  if (uid !== 0) {
    if (await canEnter(owner, path)) return { user: owner, path };
    throw notForOthers(folder);
  }
  const ordinary = ordinaryUser(dirname(path));
  if (await canEnter(ordinary, dirname(path))) {
    giveTo(ordinary, path);
    return { user: ordinary, path };
  }
  if (await canEnter(IN_NAMESPACE, path)) return { user: IN_NAMESPACE, path };
  const isEmpty = readdirSync(path).length === 0;
  if (elsewhere === null || !isEmpty || !(await canEnter(ordinary, dirname(elsewhere))))
    throw notForOthers(folder);
  placeElsewhere(folder, elsewhere);
  giveTo(ordinary, folder);
  report(
    `The database is in ${elsewhere}, because Postgres does not run as root and no other user can enter ${dirname(folder)}.`,
  );
  return { user: ordinary, path: realpathSync(folder) };
}

function notForOthers(folder: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'misconfigured',
    `Postgres does not run as root, and no other user can enter ${folder}. Start Barometer as another user, or set BAROMETER_DATA_DIR to a folder that others can enter, such as /srv/barometer.`,
  );
}
