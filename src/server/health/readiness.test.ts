import { beforeEach, expect, it } from 'vitest';
import { pendingMigrations } from '#database/migrate.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { createReadiness, isReady } from './readiness.ts';

const OK = { database: 'ok', writes: 'ok', migrations: 'ok', data: 'ok' };
/** Time limit that is longer than the checks take on a busy machine (ms). */
const LONG = { timeoutMs: 120_000 };
const canWrite = async () => true;
const { database, run } = databaseOfTheseTests();

beforeEach(() => run('truncate public.market_metrics'));

const publish = (at: string, source = 'live') =>
  run('insert into public.market_metrics (source, created_at) values ($1, $2)', [source, at]);

const readinessAt = (now: string) =>
  createReadiness({
    database,
    canWrite,
    pendingMigrations: () => pendingMigrations(database, MIGRATIONS),
    now: () => Date.parse(now),
    ...LONG,
  })();

it('requires applied migrations and current rows', async () => {
  expect(await readinessAt('2026-11-20T23:00:00Z')).toEqual({ ...OK, data: 'none yet' });
  await publish('2026-11-19T21:00:00Z');
  expect(await readinessAt('2026-11-20T14:00:00Z')).toEqual(OK);
  expect(await readinessAt('2026-11-20T17:30:00Z')).toEqual({ ...OK, data: 'behind within the session' });
  expect(await readinessAt('2026-11-20T22:30:00Z')).toEqual({ ...OK, data: '1 session behind' });
  expect(await readinessAt('2026-11-23T22:30:00Z')).toEqual({ ...OK, data: '2 sessions behind' });
  await publish('2026-11-20T20:45:00Z');
  expect(await readinessAt('2026-11-20T22:29:00Z')).toEqual(OK);
  // A wrong clock may have written rows dated in the future. They must not count.
  await writeFutureRows(
    database,
    "insert into public.market_metrics (source, created_at) values ('live', '2038-01-05T21:00:00Z')",
  );
  expect(await readinessAt('2026-11-23T22:30:00Z')).toEqual({ ...OK, data: '2 sessions behind' });
});

it('fails while migrations are pending or the database does not respond in time', async () => {
  const options = { database, canWrite, pendingMigrations: async () => ['later'], now: () => 0, ...LONG };
  const pending = await createReadiness(options)();
  expect(pending).toEqual({ database: 'ok', writes: 'ok', migrations: 'pending', data: 'unknown' });
  const away = { database: 'does not respond', writes: 'unknown', migrations: 'unknown', data: 'unknown' };
  const failing = { ...options, pendingMigrations: () => Promise.reject(new Error('gone')) };
  expect(await createReadiness(failing)()).toEqual(away);
  const hanging = { ...options, pendingMigrations: () => new Promise<never>(() => undefined), timeoutMs: 1 };
  expect(await createReadiness(hanging)()).toEqual(away);
  expect([OK, pending, away].map(isReady)).toEqual([true, false, false]);
});

it('runs one check at a time, at most once a second', async () => {
  let checks = 0;
  let now = 0;
  let respond = () => {};
  let responded = Promise.resolve();
  const pending = async () => {
    checks += 1;
    await responded;
    return [];
  };
  const options = { database, canWrite, pendingMigrations: pending, now: () => now, ...LONG };
  const readiness = createReadiness(options);
  await Promise.all([readiness(), readiness(), readiness()]);
  now = 999;
  await readiness();
  expect(checks).toBe(1);
  now = 1000;
  await readiness();
  expect(checks).toBe(2);
  responded = new Promise((resolve) => {
    respond = resolve;
  });
  const impatient = createReadiness({ ...options, timeoutMs: 20 });
  for (now of [2000, 3000, 4000]) expect(await impatient()).toMatchObject({ database: 'does not respond' });
  expect(checks).toBe(3);
  respond();
  const later = () => {
    now += 1000;
    return impatient();
  };
  await expect.poll(later).toMatchObject({ database: 'ok' });
});
