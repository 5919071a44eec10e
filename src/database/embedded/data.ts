import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseUnavailable, unavailableError } from '../failures.ts';
import { syncFolder } from './folders.ts';
import { POSTGRES_VERSION, programIn } from './programs.ts';
import { giveTo, run, type ServerUser } from './user.ts';

/** The folder of Postgres itself, inside the folder of the database. */
export const dataFolder = (folder: string): string => join(folder, 'data');

/** File with the password, in the folder of Postgres. */
export const PASSWORD = 'barometer-password';

/** Password of connections over TCP, which also identifies the Postgres of this folder. Empty without a database. */
export function readPassword(folder: string): string {
  const file = join(dataFolder(folder), PASSWORD);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
}

/** Owner of the tables, as in a hosted project. */
export const SUPERUSER = 'postgres';

/** Start of the name of a database that is being made. */
const INCOMPLETE = 'new-';
/** Content of a folder that Barometer made, apart from the database. */
const OWN = /^(new-.*|programs-.*|log|\.s\.PGSQL\..*)$/;

/** True if the folder has a database of this version, false if it is empty. Throws `DatabaseUnavailable` otherwise. */
export function holdsDatabase(folder: string): boolean {
  const names = namesIn(folder);
  if (!names.includes('data')) {
    if (names.every((name) => OWN.test(name))) return false;
    throw unavailableError({ code: 'EEXIST' }, folder);
  }
  const file = join(dataFolder(folder), 'PG_VERSION');
  const version = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : 'of an unknown version';
  if (version === POSTGRES_VERSION) return true;
  throw new DatabaseUnavailable(
    'unusable',
    `The database in ${folder} was made by Postgres ${version}, but this Barometer runs Postgres ${POSTGRES_VERSION}. Use the version of Barometer that made it, or move the folder away and start again.`,
  );
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Makes a database, under another name until it is complete. Several processes may do so at once; one database is kept. */
export async function createData(folder: string, programs: string, user: ServerUser): Promise<void> {
  const data = dataFolder(folder);
  const incomplete = fs.mkdtempSync(join(folder, INCOMPLETE));
  try {
    const password = join(incomplete, 'password');
    fs.writeFileSync(password, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: true });
    giveTo(user, incomplete);
    const made = join(incomplete, 'data');
    await run(
      ...[user, programIn(programs, 'initdb'), '--pgdata', made, '--username', SUPERUSER],
      ...['--pwfile', password, '--auth-local=trust', '--auth-host=scram-sha-256', '--encoding=UTF8'],
      // Postgres' own locale exists on every machine and sorts text by code point.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    );
    fs.renameSync(password, join(made, PASSWORD));
    syncFolder(made);
    fs.renameSync(made, data);
    syncFolder(folder);
  } catch (error) {
    if (!fs.existsSync(data)) throw error;
  } finally {
    const isMade = fs.existsSync(data);
    for (const name of fs.readdirSync(folder)) {
      const path = join(folder, name);
      if (path === incomplete || (isMade && name.startsWith(INCOMPLETE)))
        fs.rmSync(path, { recursive: true, force: true });
    }
  }
}
