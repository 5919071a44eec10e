import { expect, it } from 'vitest';
import type { Database, Row } from '#database/port.ts';
import { linesOf } from '#tests/support/findings.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import { readEnvironment } from '../settings/environment.ts';
import { examine } from './doctor.ts';

const NOW = Date.parse('2026-11-20T22:00:00Z');
const ENVIRONMENT = readEnvironment({});

const RUN = {
  job: 'collect',
  status: 'succeeded',
  rowsRefused: 0,
  error: null,
  providers: [],
  origins: [],
  problems: [],
};

/** A database whose tables each have a newest row with the time `at`. */
function databaseOf(
  at: string,
  run: Row = {},
  { publications = [] }: { publications?: Row[] } = {},
): Database {
  return stubDatabase(async (sql) => {
    if (/mailer\.|email_subscribers/.test(sql)) return [];
    if (sql.includes('archive.publications')) return publications;
    if (sql.includes('archive.')) return [];
    if (/operations\.leases|row_number/.test(sql)) return [];
    if (sql.includes('clock_timestamp')) return [{ there: NOW }];
    if (sql.includes('having')) return [];
    return [sql.includes('collector.runs') ? { ...RUN, startedAt: at, ...run } : { at, source: 'simulated' }];
  });
}

const faultsAt = async (at: string) =>
  (await examine(databaseOf(at), ENVIRONMENT, NOW)).filter(({ state }) => state === 'wrong');

it('reports no fault if the rows are of the newest closed session', async () => {
  expect(await faultsAt('2026-11-20T21:00:00.000Z')).toEqual([]);
});

it('names records whose content was changed after they were written', async () => {
  const publications = [1, 2, 3, 4, 5, 6, 7].map((id) => ({ id }));
  const database = databaseOf('2026-11-20T21:00:00.000Z', {}, { publications });
  const wrong = (await examine(database, ENVIRONMENT, NOW)).filter(({ state }) => state === 'wrong');
  expect(wrong.map(({ text }) => text)).toEqual([
    'The content of archive.publications 1, archive.publications 2, archive.publications 3, archive.publications 4, archive.publications 5 and 2 more was changed after it was written. Compare the database with a backup.',
  ]);
});

it('checks source and keys even if other checks fail', async () => {
  const values = { MARKET_SOURCE: 'csv', FRED_API_KEY: 'hush', FRED_URL: 'http://127.0.0.1:9' };
  const texts = linesOf(await examine(databaseOf('2026-11-13T21:00:00.000Z'), readEnvironment(values), NOW));
  expect(texts).toContain(
    'wrong MARKET_SOURCE is csv, but MARKET_CSV_DIR is not set. Set it to the folder of the files.',
  );
  expect(texts).toContain(
    'note FRED could not be reached; check the network connection, the next run retries.',
  );
  expect(texts).toContain('wrong MARKET_SOURCE is csv, but the page shows simulated data: run backfill.');
  expect(texts.join()).not.toContain('hush');
});

it('reports how many sessions the rows are behind', async () => {
  expect((await faultsAt('2026-11-13T21:00:00.000Z'))[0]?.text).toMatch(/4 sessions behind: run collect\.$/);
});

it('reports requests, failures and missing inputs of the last run', async () => {
  const origin = { provider: null, observedAt: null, fetchedAt: null };
  const database = databaseOf('2026-11-20T21:00:00.000Z', {
    providers: [
      { provider: 'fred', requests: 6, retries: 4, bytes: 1, failures: { 'server error': 5 } },
      { provider: 'cboe', requests: 1, retries: 0, bytes: 1, failures: {} },
    ],
    origins: [
      { ...origin, input: 'vix_close', session: '2026-11-20' },
      { ...origin, input: 'treasury_10y_yield', session: null },
    ],
    problems: [
      { kind: 'provider', count: 1, first: ['FRED has an error (503).'] },
      {
        kind: 'missing symbol',
        count: 9,
        first: ['A is unknown.', 'B is unknown.', 'C is unknown.', 'D is unknown.'],
      },
      { kind: 'readjusted', count: 1, first: ['not shown'] },
    ],
  });
  const findings = linesOf(await examine(database, ENVIRONMENT, NOW));
  expect(findings.slice(-9, -2)).toEqual([
    'fine Requests of the last run: FRED 6 times, Cboe once.',
    'note FRED: 5 of 6 requests failed (5 server error).',
    'note Without 10-year Treasury yield.',
    'note FRED has an error (503).',
    'note A is unknown.',
    'note B is unknown.',
    'note C is unknown. (6 more like it: "runs list --json")',
  ]);
});

it('reports a killed run of the collector', async () => {
  const killed = databaseOf('2026-11-20T21:00:00.000Z', { status: 'running' });
  expect(linesOf(await examine(killed, ENVIRONMENT, NOW))).toContain(
    'note The last run (collect, 2026-11-20T21:00:00.000Z) did not finish, because its process ended. The next run takes over.',
  );
});
