import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { madeOnce } from './made-once.ts';
import { copyData, type Postgres, startPostgres } from './postgres.ts';

export const MIGRATIONS = join(ROOT, 'supabase', 'migrations');
export const DRAW_WORKER_URL = pathToFileURL(join(ROOT, 'dist', 'server', 'draw-worker.js'));

export function digestOfMigrations(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort()) {
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  }
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  return hash.digest('hex').slice(0, 16);
}

/** A new folder that the user of Postgres can enter. */
export function databaseParent(): string {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-embedded-'));
  chmodSync(parent, 0o755);
  return parent;
}

/** Copies a migrated database, as a stopped product leaves it, to a path that does not exist. */
export async function copyTemplate(folder: string): Promise<void> {
  const made = await madeOnce(
    'migrated',
    async (at) => {
      const database = await openEmbedded({ folder: join(at, 'database'), migrationsFolder: MIGRATIONS });
      await database.close();
    },
    digestOfMigrations(),
  );
  mkdirSync(dirname(folder), { recursive: true });
  copyData(join(made, 'database'), folder);
}

const TEMPLATE = 'migrated';

/** A server with a migrated database, as it was stopped. */
async function serverTemplate(): Promise<string> {
  const made = await madeOnce(
    'migrated-server',
    async (at) => {
      const server = await startPostgres();
      const url = await server.createDatabase(TEMPLATE);
      await (await openPostgres({ url, migrationsFolder: MIGRATIONS })).close();
      await server.restart(async () => copyData(server.data, join(at, 'data')));
      await server.stop();
    },
    digestOfMigrations(),
  );
  return join(made, 'data');
}

let shared: Promise<Postgres> | undefined;
let made = 0;

/** The Postgres of this worker, which ends with the worker. */
function sharedPostgres(): Promise<Postgres> {
  shared ??= serverTemplate().then((copyOf) => startPostgres({ copyOf }));
  return shared;
}

export interface EmbeddedForTest {
  database: Database;
  /** Address of the database for its owner. */
  url: string;
  /** Closes the database and drops it. */
  remove(): Promise<void>;
}

/** Returns a new migrated database on the Postgres of this worker. */
export async function embeddedForTest(): Promise<EmbeddedForTest> {
  const server = await sharedPostgres();
  made += 1;
  const name = `test_${made}`;
  await server.run(`create database ${name} template ${TEMPLATE}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const database = await openPostgres({ url: url.href });
  return {
    database,
    url: url.href,
    remove: async () => {
      await database.close();
      await server.run(`drop database ${name} with (force)`);
    },
  };
}

export interface EmbeddedFolder {
  database: Database;
  folder: string;
  /** Closes the database, which stops its Postgres, and removes its folder. */
  remove(): Promise<void>;
}

/** Returns a new migrated database in a folder, with a Postgres of its own that other processes can use. */
export async function embeddedFolderForTest(): Promise<EmbeddedFolder> {
  const parent = databaseParent();
  const folder = join(parent, 'database');
  await copyTemplate(folder);
  const database = await openEmbedded({ folder });
  return {
    database,
    folder,
    remove: async () => {
      await database.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
