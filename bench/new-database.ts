import { join, resolve } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { temporaryFolder, withEnds } from './ends.ts';

/** Does the work over a new, migrated embedded database, which is removed afterwards. */
export const overNewDatabase = <T>(work: (database: Database) => Promise<T>): Promise<T> =>
  withEnds(async (atEnd) => {
    const database = await openEmbedded({
      folder: join(temporaryFolder(atEnd), 'database'),
      migrationsFolder: resolve('supabase', 'migrations'),
    });
    atEnd(() => database.close());
    return work(database);
  });
