import type { ConnectionOptions } from 'node:tls';
import { Client } from 'pg';
import { createProblems } from '#collector/problems.ts';
import { isRetryable, ProviderError, type ProviderName } from '#collector/providers/provider.ts';
import { connectionTo, placeOf } from '#database/address.ts';
import { queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { checkSmtp } from '#mailer/deliver/smtp.ts';
import { reasonOf } from '#server/log.ts';
import { chooseProviders, openHttp } from '../source-choice.ts';
import { type Check, type Finding, findings, fine, note, wrong } from './finding.ts';

/** Returns true if connections stay on this machine, and their encryption: `unverified` without a check of the certificate. */
export function protectionOf(url: string): {
  readonly isLocal: boolean;
  readonly encryption: 'none' | 'unverified' | 'verified';
} {
  const client = new Client(connectionTo(url));
  // The types of the driver lack this property.
  const ssl = client.ssl as boolean | ConnectionOptions;
  const isVerified = ssl === true || (ssl !== false && ssl.rejectUnauthorized !== false);
  return {
    isLocal: /^(127\.|::1$|localhost$|\/)/.test(client.host),
    encryption: ssl === false ? 'none' : isVerified ? 'verified' : 'unverified',
  };
}

/** Reports the version, address, user and encryption of Postgres, without the password. */
export const checkPostgres: Check = async ({ environment: { databaseUrl } }) => {
  if (databaseUrl === null) return [];
  try {
    const { isLocal, encryption } = protectionOf(databaseUrl);
    const database = await openPostgres({ url: databaseUrl, max: 1 });
    const [found] = await queryOnce<{ user: string; version: string; readOnly: boolean }>(
      database,
      `select current_user::text as user, split_part(current_setting('server_version'), ' ', 1) as version,
         current_setting('transaction_read_only')::boolean as "readOnly"`,
    ).finally(() => database.close());
    if (found?.readOnly) return [wrong(`Postgres at ${placeOf(databaseUrl)} ${READ_ONLY}`)];
    const encrypted = encryption === 'none' ? '' : ', encrypted';
    const warning = isLocal ? '' : ENCRYPTION_NOTES[encryption];
    return findings(
      fine(`Postgres ${found?.version} at ${placeOf(databaseUrl)}, as ${found?.user}${encrypted}.`),
      warning !== '' && note(warning),
    );
  } catch (error) {
    return [wrong(reasonOf(error))];
  }
};

const READ_ONLY =
  'takes no writes: it is a standby, or it was made read-only, as some providers do when its disk is full. Set DATABASE_URL to the primary, or free some space and end the read-only mode.';

const ENCRYPTION_NOTES = {
  none: 'The connection to Postgres is not encrypted. Unless the network is yours, set sslmode=verify-full in DATABASE_URL.',
  unverified:
    "The connection to Postgres is encrypted, but the server's certificate is not verified. Set sslmode=verify-full in DATABASE_URL, and the provider's certificate in sslrootcert.",
  verified: '',
};

export const checkMailServer: Check = async ({ environment: { mail }, timeoutMs }) => {
  if (mail.smtpUrl === null) return [];
  const problem = await checkSmtp(mail.smtpUrl, timeoutMs);
  if (problem !== null) return [wrong(problem)];
  const login = new URL(mail.smtpUrl).username === '' ? '' : ' and accepts the login';
  return [fine(`The mail server responds${login}.`)];
};

/** A series that one small request can fetch, for each provider that needs a key. */
const PROBES: Readonly<Partial<Record<ProviderName, SeriesName>>> = {
  alpaca: 'treasury_fund_close',
  fred: 'treasury_10y_yield',
};
/** Number of days to request. So many days always include a session, so a response without data is a fault. */
const PROBE_DAYS = 7;

/** Sends one request to each provider with a key. A rejected key is wrong, an unavailable provider only a note. */
export const checkProviderKeys: Check = async ({ environment, now, timeoutMs }) => {
  const to = marketDay(now);
  const from = formatDay(parseDay(to) - PROBE_DAYS);
  const http = openHttp(new AbortController().signal, { attempts: 1, attemptMs: timeoutMs });
  const found = chooseProviders(environment).map(async ({ provider, unusedBecause }): Promise<Finding[]> => {
    const probe = PROBES[provider.name];
    if (probe === undefined || unusedBecause !== null) return [];
    try {
      await provider.readSeries?.({ series: [probe], from, to, now, http, problems: createProblems() });
      return [fine(`${provider.label} accepts the key.`)];
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return [(isRetryable(error.failure) ? note : wrong)(error.message)];
    }
  });
  return (await Promise.all(found)).flat();
};
