import { describe, expect, it } from 'vitest';
import { LIVE_LIMITS } from '#collector/live/plan.ts';
import { periodsOf } from '#collector/periods.ts';
import type { ProviderName } from '#collector/providers/provider.ts';
import { writeQualityEvents } from '#collector/publish/quality-events.ts';
import {
  lastSessions,
  newestClosedSession,
  sessionClose,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { runsOf } from '#tests/support/live-runs.ts';
import { collectOverTime, marketOverTime } from '#tests/support/runs-over-time.ts';

const stretch = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const market = { members: fakeMembers(6), first: '2024-06-03' };
const HOUR = 3_600_000;

const { database, run: ask } = databaseOfEachTest();

const run = (...sql: string[]) =>
  database.transaction(async (transaction) => {
    for (const statement of sql) await transaction.query(statement);
  });
const events = () =>
  ask<Record<string, string | null>>(
    `select to_char(at at time zone 'UTC', 'MM-DD HH24:MI') as at, session, kind, input, provider, detail, before, after
       from public.quality_events order by id`,
  );

const lines = async () =>
  (await events()).map((event) =>
    Object.values(event)
      .filter((value) => value !== null)
      .join(' | '),
  );

describe('quality events', () => {
  it('are none for the readings of the live source on each morning and evening of a year', async () => {
    const time = { now: Date.parse('2024-06-29T01:00:00Z') };
    const source = marketOverTime({
      ...{ members: fakeMembers(2), first: '2024-05-01' },
      ...{ now: () => time.now, failing: () => null },
    });
    const runs = runsOf(source);
    const fill = await runs.run(new Date(time.now).toISOString(), { job: 'backfill' });
    const inputs = (fill.reading.originsOf?.('2024-06-28') ?? []).flatMap(({ input, session: of }) =>
      of === null ? [] : [input],
    );
    let count = 0;
    await database.transaction(async (transaction) => {
      // Only an input that once had a value can be late.
      await transaction.query(
        `insert into public.input_origins (input, provider, created_at)
         select input, 'fred', '2024-06-28T20:00:00Z' from unnest($1::text[]) as input`,
        [`{${inputs.join(',')}}`],
      );
      for (const session of sessionsBetween('2024-07-01', '2025-06-30')) {
        for (const period of periodsOf(session).filter((_, at, all) => at === 0 || at === all.length - 1)) {
          time.now = period;
          const { reading, refused } = await runs.run(new Date(period).toISOString());
          const sessions = lastSessions(newestClosedSession(period), LIVE_LIMITS.correctedSessions);
          const batches = sessions.map((each) => ({
            createdAt: sessionClose(each),
            origins: reading.originsOf?.(each) ?? [],
          }));
          expect(refused()).toEqual({});
          const calls = source.calls?.() ?? [];
          await writeQualityEvents(transaction, {
            now: period,
            batches,
            corrections: [],
            refusals: [],
            calls,
          });
          count += 1;
        }
      }
    });
    expect([inputs.length, count]).toEqual([14, 2 * 250]);
    expect(await events()).toEqual([]);
  });

  it('are none in a week of hourly runs without faults, with a holiday and a half-day', async () => {
    const week = [stretch('2024-11-25T20:00:00Z', '2024-12-03T02:00:00Z')];
    const { failed, done } = await collectOverTime(database, week, {
      ...market,
      failing: () => null,
    });
    expect([failed, done > 25]).toEqual([0, true]);
    expect(await events()).toEqual([]);
  });

  it('name each fault with its end', async () => {
    // The server is down from Thursday 10:30 to 13:40 in New York.
    const days = [
      stretch('2024-11-18T20:00:00Z', '2024-11-21T15:40:00Z'),
      stretch('2024-11-21T18:40:00Z', '2024-11-23T02:00:00Z'),
    ];
    // On Tuesday evening put/call ratios are out, and from Wednesday afternoon to Thursday all of FRED.
    const isOut = (provider: ProviderName, at: number) =>
      provider === 'cboe'
        ? at > Date.parse('2024-11-19T23:00:00Z') && at < Date.parse('2024-11-20T12:00:00Z')
        : at > Date.parse('2024-11-20T12:00:00Z') && at < Date.parse('2024-11-21T12:00:00Z');
    const failing = (at: number): ProviderName | null =>
      (['cboe', 'fred'] as const).find((provider) => isOut(provider, at)) ?? null;
    // A price of Tuesday is wrong until Wednesday morning.
    const wrongUntil = (session: string) =>
      session === '2024-11-19' ? sessionClose(session) + 15 * HOUR : 0;
    await collectOverTime(database, days, { ...market, failing, wrongUntil });
    expect(await lines()).toEqual([
      '11-20 01:00 | 2024-11-19 | late | put_call_total | newest value of 2024-11-18',
      '11-20 01:00 | 2024-11-19 | late | put_call_equity | newest value of 2024-11-18',
      '11-20 15:00 | 2024-11-19 | corrected | market_metrics market_exposure | 50 | 33.333333333333336',
      '11-20 15:00 | 2024-11-19 | completed | put_call_total | cboe',
      '11-20 15:00 | 2024-11-19 | completed | put_call_equity | cboe',
      '11-21 01:00 | 2024-11-20 | late | high_yield_oas | newest value of 2024-11-18',
      '11-21 01:00 | 2024-11-20 | late | investment_grade_oas | newest value of 2024-11-18',
      '11-21 15:00 | 2024-11-20 | completed | high_yield_oas | fred',
      '11-21 15:00 | 2024-11-20 | completed | investment_grade_oas | fred',
      '11-21 18:40 | 2024-11-21 | missed run | 3 scheduled runs',
    ]);
  });

  // `live-faults.proof.test.ts` has the events of each fault of a provider.
  it('name a missing input, a withheld signal and a changed formula once', async () => {
    await run(
      `insert into public.input_origins (input, provider, created_at) values ('vix_close', 'cboe', '2024-11-18T21:00:00Z')`,
      `insert into archive.publications
         (created_at_batch, session, kind, published_at, source, origin, formula_version, rows, sha256)
       values ('2024-11-18T21:00:00Z', '2024-11-18', 'final', '2024-11-19T01:00:00Z', 'live', 'live', '1', '{}', '')`,
      `insert into mailer.issued_signals
         (week, status, reason, decided_at, session, source, formula_version, weights, inputs)
       values ('2024-11-11', 'withheld', 'a@b.example', '2024-11-16T14:00:00Z', '2024-11-15', 'live', '1', '{}', '{}')`,
    );
    const now = Date.parse('2024-11-20T02:00:00Z');
    const origins = (['vix_close', 'nyse_trin'] as const).map((input) => ({
      ...{ input, provider: null, session: null, observedAt: null, fetchedAt: null },
    }));
    const batches = [{ createdAt: sessionClose('2024-11-19'), origins }];
    for (const delay of [0, HOUR]) {
      await database.transaction((transaction) =>
        writeQualityEvents(transaction, {
          now: now + delay,
          batches,
          corrections: [],
          refusals: [],
          calls: [],
        }),
      );
    }
    expect(await lines()).toEqual([
      '11-20 02:00 | 2024-11-19 | missing | vix_close',
      '11-20 02:00 | 2024-11-15 | withheld | The weekly signal was withheld.',
      `11-20 02:00 | formula changed | 1 | ${SIGNAL_FORMULA}`,
    ]);
  });
});
