import type { Database } from '#database/port.ts';
import { createLog } from '#server/log.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import type { Context } from './command.ts';
import { createMailing, type Mailing } from './mailing.ts';
import { openDatabase } from './open-database.ts';

/** Opens the configured database for one piece of work of a command. */
export async function withDatabase<T>(
  { environment }: Context,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(environment);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The weekly signal in a command's own process, which tells what happened at its end and writes no log. */
export async function mailingHere(
  database: Database,
  { environment, now }: Context,
  { by, signal }: { by: string; signal: AbortSignal },
): Promise<Mailing> {
  const log = createLog({ write: () => undefined, clock: now, format: 'plain' });
  return createMailing({
    database,
    settings: environment.mail,
    readMarket: await createMarketReader({ database, log }),
    began: now(),
    now,
    log,
    metrics: { countMails: () => undefined },
    signal,
    by,
  });
}
