import { createTableClient } from '#queries/client.ts';
import type { PageData } from '#web/app/dependencies.ts';
import { readPage } from '#web/app/read-page.ts';
import type { Gate } from '../rest/gate.ts';
import { gateFetch } from './gate-fetch.ts';

interface PageReaderOptions {
  readonly gate: Gate;
  readonly publicKey: string;
  readonly productName: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

// The client wants an address; the gate is asked whatever it is.
const IN_PROCESS = 'http://gate.invalid';

/**
 * What reads the page's data within the server: the page's own reads through the gate, as the public role,
 * hence exactly what a visitor's browser would read. Rejects with QueryError when the database is away.
 */
export function createPageReader(options: PageReaderOptions): () => Promise<PageData> {
  const { gate, publicKey, productName, now } = options;
  const client = createTableClient({ supabaseUrl: IN_PROCESS, anonKey: publicKey, fetch: gateFetch(gate) });
  return () => readPage(client, now(), productName);
}
