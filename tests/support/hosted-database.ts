import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres } from '#database/postgres/open.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { loadDemonstration } from './demonstration.ts';
import { MIGRATIONS } from './embedded.ts';
import { madeOnce } from './made-once.ts';
import { copyData, type Postgres, startPostgres } from './postgres.ts';

const ROLES = join(ROOT, 'tests', 'support', 'hosted-roles.sql');
/** Who made the server; the project's owner only has the name that is the superuser's elsewhere. */
const SUPERUSER = 'supabase_admin';

/** A server's address for another user of it. */
export function addressFor(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  return address.href;
}

/** Real Postgres as a hosted project has it, with nothing of ours in it. Its `url` is that of its superuser. */
export async function startHostedDatabase(): Promise<Postgres> {
  const server = await startPostgres({ superuser: SUPERUSER });
  await server.run(readFileSync(ROLES, 'utf8'));
  return server;
}

/** The same with our migrations and the demonstration data, owned by `postgres`. */
export async function startHostedDemonstration(): Promise<Postgres> {
  const made = await madeOnce('hosted', async (folder) => {
    const server = await startHostedDatabase();
    const url = addressFor(server.url, 'postgres');
    const database = await openPostgres({ url, migrationsFolder: MIGRATIONS });
    try {
      await loadDemonstration(database);
    } finally {
      await database.close();
    }
    await server.restart(async () => copyData(server.data, join(folder, 'data')));
    await server.stop();
  });
  return startPostgres({ superuser: SUPERUSER, copyOf: join(made, 'data') });
}
