import { afterEach, describe, expect, it } from 'vitest';
import type { ProviderName } from '#collector/providers/names.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { collectOverTime } from '#tests/support/runs-over-time.ts';

const stretch = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const market = { members: fakeMembers(6), first: '2024-06-03' };
const HOUR = 3_600_000;

let embedded: EmbeddedForTest;
afterEach(() => embedded.remove());

const events = () =>
  embedded.database.transaction((transaction) =>
    transaction.query<Record<string, string | null>>(
      `select to_char(at at time zone 'UTC', 'MM-DD HH24:MI') as at, session, kind, input, provider, detail, before, after
       from public.quality_events order by id`,
    ),
  );

describe('quality events', () => {
  it('are none in weeks without faults, with a bond holiday, half-days and both kinds of late input', async () => {
    embedded = await embeddedForTest();
    const weeks = [stretch('2024-11-08T20:00:00Z', '2024-12-03T02:00:00Z')];
    const { failed, done } = await collectOverTime(embedded.database, weeks, {
      ...market,
      failing: () => null,
    });
    expect([failed, done > 100]).toEqual([0, true]);
    expect(await events()).toEqual([]);
  });

  it('name each fault and its end', async () => {
    embedded = await embeddedForTest();
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
    await collectOverTime(embedded.database, days, { ...market, failing, wrongUntil });
    const lines = (await events()).map((event) =>
      Object.values(event)
        .filter((value) => value !== null)
        .join(' | '),
    );
    expect(lines).toEqual([
      '11-20 01:00 | 2024-11-19 | late | put_call_total | newest value of 2024-11-18',
      '11-20 01:00 | 2024-11-19 | late | put_call_equity | newest value of 2024-11-18',
      '11-20 15:00 | 2024-11-19 | corrected | market_metrics market_exposure | 50 | 33.333333333333336',
      '11-20 15:00 | 2024-11-19 | completed | put_call_total | cboe',
      '11-20 15:00 | 2024-11-19 | completed | put_call_equity | cboe',
      '11-21 01:00 | 2024-11-20 | late | high_yield_oas | newest value of 2024-11-18',
      '11-21 01:00 | 2024-11-20 | late | investment_grade_oas | newest value of 2024-11-18',
      '11-21 15:00 | 2024-11-20 | completed | high_yield_oas | fred',
      '11-21 15:00 | 2024-11-20 | completed | investment_grade_oas | fred',
      '11-21 18:40 | 2024-11-21 | missed run | 3 periods',
    ]);
  });
});
