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

/** Returns the address for the driver, which interprets some parameters differently from libpq. */
function forDriver(url: URL): string {
  const read = new URL(url);
  // The driver treats 'system' as a file name. Without the parameter, it trusts the certificate authorities of this
  // machine.
  if (read.searchParams.get('sslrootcert') === 'system') read.searchParams.delete('sslrootcert');
  // Without `uselibpqcompat`, the driver treats `require` and `verify-ca` as `verify-full` and logs a warning.
  const isLibpqMode = ['require', 'verify-ca'].includes(read.searchParams.get('sslmode') ?? '');
  if (isLibpqMode) read.searchParams.set('uselibpqcompat', 'true');
  return read.href;
}

/** True if the driver can parse the address. Does not connect. */
function isParsed(connectionString: string): boolean {
  try {
    return new Client({ connectionString }).host !== '';
  } catch {
    return false;
  }
}

/** TCP keep-alive starts after this much silence, to detect a server that has disappeared (ms). */
const KEEP_ALIVE_DELAY = 30_000;

/** Settings of the driver for each connection. */
export const CONNECTION_DEFAULTS = {
  types: { getTypeParser: (oid: number) => parserFor(oid) },
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
} satisfies ClientConfig;

const misconfigured = (fault: string) => new DatabaseUnavailable('misconfigured', `DATABASE_URL ${fault}.`);

/**
 * Returns the driver's settings for a `postgres://` address. Throws `DatabaseUnavailable` if the address is invalid.
 */
export function connectionTo(text: string): ConnectionConfig {
  const fault = addressFault(text) ?? fileFault(new URL(text));
  if (fault !== null) throw misconfigured(fault);
  const connectionString = forDriver(new URL(text));
  if (!isParsed(connectionString)) throw misconfigured(UNREADABLE);
  return { connectionString, ...CONNECTION_DEFAULTS };
}
