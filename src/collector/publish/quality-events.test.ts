import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { writeFailureEvents, writeQualityEvents } from './quality-events.ts';

const NOTHING = { batches: [], corrections: [], refusals: [], calls: [] };
const SATURDAY = Date.parse('2024-11-23T14:00:00Z');

const { database, run } = databaseOfTheseTests();
beforeAll(async () => {
  await run(`insert into collector.runs (job, source, period, is_scheduled, status, started_at)
    values ('collect', 'live', '2024-11-21T17:00:00Z', true, 'succeeded', '2024-11-21T17:00:00Z')`);
});

const events = () => run('select session, kind, detail from public.quality_events order by id');

describe('the session of an event that is discovered on a Saturday', () => {
  it('is that of the newest missed run', async () => {
    const missed = { ...NOTHING, now: SATURDAY };
    await database.transaction((transaction) => writeQualityEvents(transaction, missed));
    expect(await events()).toEqual([
      { session: '2024-11-22', kind: 'missed run', detail: '13 scheduled runs since 2024-11-21' },
    ]);
  });

  it('is the newest one for a failed provider and for refused rows', async () => {
    const calls = [
      { provider: 'fred' as const, requests: 1, retries: 0, bytes: 0, failures: { timeout: 1 } },
    ];
    const refusals = [{ kind: 'number' as const, count: 1, first: [] }];
    await database.transaction((transaction) =>
      writeFailureEvents(transaction, { now: SATURDAY, refusals, calls }),
    );
    expect((await events()).slice(1)).toEqual([
      { session: '2024-11-22', kind: 'provider down', detail: '1 of 1 requests failed: timeout' },
      { session: '2024-11-22', kind: 'refused', detail: 'number: 1 row' },
    ]);
  });
});
