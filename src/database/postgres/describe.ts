import type { ConnectionOptions } from 'node:tls';
import { Client } from 'pg';
import { connectionTo } from './connection.ts';
import { placeOf, unreachable } from './failures.ts';
import { isPooled } from './pooled.ts';

/** What an address leads to. */
export interface PostgresDescription {
  /** 'db.example.org:5432/market', without user and password. */
  readonly place: string;
  readonly user: string;
  /** '15.14' */
  readonly version: string;
  readonly isPooled: boolean;
  /** Whether it stays on this machine. */
  readonly isLocal: boolean;
  /** `unverified` where nothing shows that who answers is who was asked. */
  readonly encryption: 'none' | 'unverified' | 'verified';
}

/** By when Postgres is there (ms). */
const ANSWERED_IN = 10_000;
const LOOPBACK = /^(127\.|::1$|localhost$|\/)/;

/** Says how Postgres is reached, over a connection of its own. Throws `DatabaseUnavailable`. */
export async function describePostgres(url: string): Promise<PostgresDescription> {
  const client = new Client({ ...connectionTo(url), query_timeout: ANSWERED_IN });
  // An error is told by what was asked; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ user: string; version: string }>(
      "select current_user::text as user, split_part(current_setting('server_version'), ' ', 1) as version",
    );
    // What the types leave out.
    const ssl = client.ssl as boolean | ConnectionOptions;
    const isVerified = ssl === true || (ssl !== false && ssl.rejectUnauthorized !== false);
    return {
      place: placeOf(url),
      user: rows[0]?.user ?? '',
      version: rows[0]?.version ?? '',
      isPooled: await isPooled(client),
      isLocal: LOOPBACK.test(client.host),
      encryption: ssl === false ? 'none' : isVerified ? 'verified' : 'unverified',
    };
  } catch (error) {
    throw unreachable(error, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
