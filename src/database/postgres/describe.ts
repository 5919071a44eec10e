import type { ConnectionOptions } from 'node:tls';
import { Client } from 'pg';
import { connectionTo } from './connection.ts';
import { placeOf, unreachable } from './failures.ts';

/** A Postgres server, as `describePostgres` found it. */
export interface PostgresDescription {
  /** 'db.example.org:5432/market', without user and password. */
  readonly place: string;
  readonly user: string;
  /** For example '15.14'. */
  readonly version: string;
  /** True if the connection stays on this machine. */
  readonly isLocal: boolean;
  /** `unverified` if the certificate is not checked. */
  readonly encryption: 'none' | 'unverified' | 'verified';
}

/** Timeout of the query (ms). */
const QUERY_TIMEOUT = 10_000;
const LOOPBACK = /^(127\.|::1$|localhost$|\/)/;

/** Describes the server, over a separate connection. Throws `DatabaseUnavailable`. */
export async function describePostgres(url: string): Promise<PostgresDescription> {
  const client = new Client({ ...connectionTo(url), query_timeout: QUERY_TIMEOUT });
  // The query throws the same error. Without a listener the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ user: string; version: string }>(
      "select current_user::text as user, split_part(current_setting('server_version'), ' ', 1) as version",
    );
    // The types of the driver lack this property.
    const ssl = client.ssl as boolean | ConnectionOptions;
    const isVerified = ssl === true || (ssl !== false && ssl.rejectUnauthorized !== false);
    return {
      place: placeOf(url),
      user: rows[0]?.user ?? '',
      version: rows[0]?.version ?? '',
      isLocal: LOOPBACK.test(client.host),
      encryption: ssl === false ? 'none' : isVerified ? 'verified' : 'unverified',
    };
  } catch (error) {
    throw unreachable(error, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}
