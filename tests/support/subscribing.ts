import { type Database, type Parameter, queryOnce } from '#database/port.ts';
import { KEY } from './gate-server.ts';
import { onEach } from './on-each.ts';

/** Addresses that a client may add within an hour; equals the limit in the migration. */
export const MOST = 20;
/** The gate's response to a client that adds too many addresses. */
export const TOO_MANY = {
  code: 'PT429',
  details: null,
  hint: null,
  message: 'Failed to subscribe. Please try again.',
};

/** Inserts over HTTP as a client with the given address, passed in X-Forwarded-For. */
export async function insertAs(client: string, url: string, row: unknown, headers = {}) {
  const response = await fetch(`${url}/rest/v1/email_subscribers`, {
    method: 'POST',
    headers: { apikey: KEY, 'Content-Type': 'application/json', 'X-Forwarded-For': client, ...headers },
    body: JSON.stringify(row),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Inserts `count` different addresses from one client, 16 at a time. Returns the number of responses per status. */
export async function flood(
  client: string,
  urls: readonly string[],
  count: number,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const addresses = Array.from({ length: count }, (_, at) => ({ at, url: urls[at % urls.length] ?? '' }));
  await onEach(
    addresses,
    async ({ at, url }) => {
      const { status } = await insertAs(client, url, { email: `flood${at}@example.com`, is_active: true });
      statuses[status] = (statuses[status] ?? 0) + 1;
    },
    16,
  );
  return statuses;
}

/** Runs a test's queries as the owner of the database. */
export const asOwnerOf = (database: Database) => {
  const run = (sql: string, parameters: Parameter[] = []) => queryOnce(database, sql, parameters);
  return {
    run,
    emails: async () => {
      const rows = await run('select email from public.email_subscribers order by id');
      return rows.map(({ email }) => email);
    },
    /** Fixes the hour in which subscriptions are counted, so that it does not change during a test. */
    stopAt: (hour: number) =>
      run(`create or replace function mailer.this_hour() returns timestamptz language sql stable set search_path = ''
        as $$ select '2026-11-21T00:00Z'::timestamptz + interval '${hour} hours' $$`),
    forgetAll: async () => {
      await run('delete from public.email_subscribers');
      await run('delete from mailer.subscription_counts');
    },
  };
};
