// A child process over the embedded database, for tests that kill it: node entry.js <mode> <folder> <migrations>
// <round>. It prints each confirmed commit.
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { isTransient } from '#database/failures.ts';
import type { Database } from '#database/port.ts';

const [mode, folder = '', migrationsFolder = '', round = '0'] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);

async function subscribeForEver(database: Database): Promise<void> {
  for (let number = 0; ; number += 1) {
    const email = `round-${round}-number-${number}@example.com`;
    const isKept = await database
      .transaction(
        (transaction) =>
          transaction.query('insert into email_subscribers (email, is_active) values ($1, true)', [email]),
        { role: 'anon', durable: true },
      )
      .then(
        () => true,
        async (error: unknown) => {
          if (!isTransient(error)) throw error;
          // While Postgres starts again, transactions fail at once.
          await delay(10);
          return false;
        },
      );
    if (isKept) say(email);
  }
}

/** Values that must change together, so that half a transaction would show. */
async function writePairsForEver(database: Database): Promise<void> {
  for (let number = 0; ; number += 1) {
    await database.transaction(async (transaction) => {
      for (const session of ['2026-11-19', '2026-11-20']) {
        await transaction.query('insert into collector.series (name, session, value) values ($1, $2, 1)', [
          `round ${round} pair ${number}`,
          session,
        ]);
      }
    });
  }
}

try {
  const database = await openEmbedded({ folder, migrationsFolder });
  say('open');
  if (mode === 'write') await Promise.all([subscribeForEver(database), writePairsForEver(database)]);
  if (mode === 'subscribe') await subscribeForEver(database);
  if (mode === 'close') await database.close();
} catch (error) {
  say(`${(error as Error).name}: ${(error as Error).message}`);
  process.exitCode = 1;
}
