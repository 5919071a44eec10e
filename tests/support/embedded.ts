import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { ROOT } from '../../scripts/set-up.mjs';

export const MIGRATIONS = join(ROOT, 'supabase', 'migrations');
export const WORKER_URL = pathToFileURL(join(ROOT, 'dist', 'server', 'embedded-worker.js'));
export const DRAW_WORKER_URL = pathToFileURL(join(ROOT, 'dist', 'server', 'draw-worker.js'));

function digestOfMigrations(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort()) {
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  }
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  return hash.digest('hex').slice(0, 16);
}

/** Drops the unused databases: they hold half of the files, and the time of a copy depends on the number of files. */
async function dropUnused(folder: string): Promise<void> {
  const engine = await PGlite.create(folder);
  await engine.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await engine.exec(`drop database ${name}`);
  await engine.close();
}

/** A closed, migrated database folder to copy from. Made once per set of migrations, because a boot takes 4 s. */
export async function embeddedTemplate(): Promise<string> {
  const template = join(tmpdir(), `barometer-template-${process.getuid?.() ?? 0}-${digestOfMigrations()}`);
  if (existsSync(template)) return template;
  const beside = mkdtempSync(join(tmpdir(), 'barometer-template-'));
  try {
    const folder = join(beside, 'database');
    const database = await openEmbedded({ folder, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS });
    await database.close();
    await dropUnused(folder);
    renameSync(folder, template);
  } catch (error) {
    if (!existsSync(template)) throw error; // another test file has made the template first
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
  return template;
}

export interface EmbeddedForTest {
  database: Database;
  folder: string;
  /** Closes the database and removes its folder. */
  remove(): Promise<void>;
}

/** Returns a new migrated database in a temporary folder. */
export async function embeddedForTest(): Promise<EmbeddedForTest> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-embedded-'));
  const folder = join(parent, 'database');
  cpSync(await embeddedTemplate(), folder, { recursive: true });
  const database = await openEmbedded({ folder, workerUrl: WORKER_URL });
  return {
    database,
    folder,
    remove: async () => {
      await database.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
