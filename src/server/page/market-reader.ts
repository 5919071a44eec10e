import type { Database } from '#database/port.ts';
import type { MarketReading } from '#mailer/decide/reading.ts';
import { createTableClient } from '#queries/client.ts';
import { readOrigins } from '#queries/origins.ts';
import { readPage } from '#web/app/read-page.ts';
import type { Log } from '../log.ts';
import { createGate } from '../rest/gate.ts';
import { readTables } from '../rest/tables.ts';
import { gateFetch } from './gate-fetch.ts';

interface MarketReaderOptions {
  /** Migrated already. */
  readonly database: Database;
  readonly log: Log;
}

// Both ends are in this process, so neither the address nor the key says anything.
const IN_PROCESS = { supabaseUrl: 'http://gate.invalid', anonKey: 'in-process' };

/**
 * What reads what the weekly signal is decided from at an instant (epoch ms): the rows that a visitor's browser
 * would get then, through a gate of its own as the public role, with their origins. It rejects with QueryError
 * while the database is away.
 */
export async function createMarketReader({
  database,
  log,
}: MarketReaderOptions): Promise<(now: number) => Promise<MarketReading>> {
  const tables = await readTables(database);
  const gate = createGate({ database, tables, publicKey: IN_PROCESS.anonKey, log });
  const client = createTableClient({ ...IN_PROCESS, fetch: gateFetch(gate) });
  return async (now) => {
    const { rows, view } = await readPage(client, now);
    return { rows, origins: view.sources === null ? [] : await readOrigins(client, view.sources.createdAt) };
  };
}
