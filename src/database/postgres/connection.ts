import { readFileSync } from 'node:fs';
import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailable } from '../unavailable.ts';
import { parserFor } from '../values.ts';
import { addressFault, UNREADABLE } from './address.ts';

export type ConnectionConfig = ClientConfig & { connectionString: string };

const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

function fileFault({ searchParams }: URL): string | null {
  for (const name of FILES) {
    const path = searchParams.get(name);
    if (path === null || path === 'system') continue;
    try {
      readFileSync(path);
    } catch (error) {
      return `names ${path} in ${name}, which cannot be read (${(error as NodeJS.ErrnoException).code})`;
    }
  }
  return null;
}

/** The address as the driver is to have it, which means by some words something else than everybody. */
function forDriver(url: URL): string {
  const read = new URL(url);
  // The authorities this machine trusts are the driver's own choice where it is told of none.
  if (read.searchParams.get('sslrootcert') === 'system') read.searchParams.delete('sslrootcert');
  // As psql and every provider's instructions have it; the driver alone would take both for verify-full, and warn.
  const isLibpqs = ['require', 'verify-ca'].includes(read.searchParams.get('sslmode') ?? '');
  if (isLibpqs) read.searchParams.set('uselibpqcompat', 'true');
  return read.href;
}

/** Whether the driver makes sense of it; nothing is connected. */
function isUnderstood(connectionString: string): boolean {
  try {
    return new Client({ connectionString }).host !== '';
  } catch {
    return false;
  }
}

/** A server that is gone without a word is found out so long after it last answered (ms), and some seconds. */
const SILENT_FOR = 30_000;

const misconfigured = (fault: string) => new DatabaseUnavailable('misconfigured', `DATABASE_URL ${fault}.`);

/** How a client connects to a `postgres://` address. Throws `DatabaseUnavailable` where it says nothing that can be done. */
export function connectionTo(text: string): ConnectionConfig {
  const fault = addressFault(text) ?? fileFault(new URL(text));
  if (fault !== null) throw misconfigured(fault);
  const connectionString = forDriver(new URL(text));
  if (!isUnderstood(connectionString)) throw misconfigured(UNREADABLE);
  return {
    connectionString,
    types: { getTypeParser: (oid: number) => parserFor(oid) },
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENT_FOR,
  };
}
