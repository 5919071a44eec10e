import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';

/** Does the work over a new, migrated embedded database, which is removed afterwards. */
export async function overNewDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  try {
    const database = await openEmbedded({
      folder: join(folder, 'database'),
      migrationsFolder: resolve('supabase', 'migrations'),
    });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
