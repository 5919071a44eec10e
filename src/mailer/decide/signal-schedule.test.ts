import { beforeAll, describe, expect, it } from 'vitest';
import { marketDay } from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { mailSettings } from '#tests/support/deliveries.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { rowsFrom, rowsOf } from '#tests/support/weekly-signal.ts';
import { createSignalSchedule, WAIT_FOR_ROWS_MS } from './signal-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SATURDAY_AT_NINE = { weekday: 6, minutes: 9 * 60 };
const at = (text: string) => Date.parse(text);

describe('the decision of a week', () => {
  const { database, run } = databaseOfTheseTests();
  beforeAll(() => acceptAnyTime(database));

  /** A process that started at `began`. The test changes the clock and the rows of the process. */
  function startProcess(began: string, rows: DashboardRows, time = SATURDAY_AT_NINE) {
    const world = { now: at(began), rows, reads: 0, seenFrom: '' };
    const deciding = createSignalSchedule({
      database,
      settings: mailSettings({ signalTime: time }),
      readMarket: async (instant) => {
        world.reads += 1;
        world.seenFrom = marketDay(instant);
        return { rows: world.rows, origins: [] };
      },
      began: world.now,
      now: () => world.now,
    });
    return { ...deciding, world };
  }

  it('is skipped for signals that were due before the installation', async () => {
    const { ifDue, byHand, world } = startProcess('2026-11-09T14:00:01Z', rowsOf('2026-11-06T21:00:00Z'));
    expect(await ifDue()).toEqual({ state: 'none', nextAt: at('2026-11-14T14:00:00Z') });
    expect(await byHand({ atOnce: false })).toMatchObject({ state: 'none' });
    expect(world.reads).toBe(0);
  });

  it('waits while the database has no rows', async () => {
    const { ifDue, byHand, world } = startProcess('2026-11-14T14:05:00Z', EMPTY);
    const waiting = { state: 'waiting', reason: expect.stringMatching(/^No market rows exist/) };
    expect(await byHand({ atOnce: true })).toMatchObject(waiting);
    world.now += 7 * HOUR;
    expect(await ifDue()).toMatchObject(waiting);
  });

  it('is not made from a replay, which moves its sessions to other days each time', async () => {
    const { ifDue, byHand } = startProcess('2026-11-14T14:05:00Z', rowsFrom('replay'));
    expect(await ifDue()).toMatchObject({ state: 'none' });
    expect(await byHand({ atOnce: true })).toMatchObject({ state: 'none' });
    expect(await run('select week from mailer.issued_signals')).toEqual([]);
  });

  it('is made by only one process when the signal is due', async () => {
    const one = startProcess('2026-11-14T13:59:59Z', FULL);
    const other = startProcess('2026-11-14T13:59:59Z', FULL);
    expect(await one.ifDue()).toMatchObject({ state: 'none', nextAt: at('2026-11-14T14:00:00Z') });
    one.world.now += 1000;
    other.world.now += 1000;
    const decided = await Promise.all([one.ifDue(), other.ifDue()]);
    expect(decided.map(({ state }) => state).sort()).toEqual(['existing', 'new']);
    const { reads } = one.world;
    expect(await one.ifDue()).toMatchObject({ state: 'none' });
    expect(one.world.reads).toBe(reads);
    expect(await one.byHand({ atOnce: true })).toMatchObject({
      state: 'existing',
      issue: { week: '2026-11-09', status: 'issued', session: '2026-11-13' },
      nextAt: at('2026-11-21T14:00:00Z'),
    });
    // A process that starts later finds the decision and reads no rows.
    const late = startProcess('2026-11-14T15:00:00Z', EMPTY);
    expect(await late.ifDue()).toMatchObject({ state: 'existing', issue: { status: 'issued' } });
    expect(late.world.reads).toBe(0);
  });

  it('waits for the rows of the last close and returns the reason', async () => {
    const { ifDue, world } = startProcess('2026-11-21T14:00:00Z', FULL);
    expect(await ifDue()).toMatchObject({
      state: 'waiting',
      week: '2026-11-16',
      reason: expect.stringMatching(
        /^The newest market rows are of Fri 13 Nov 2026, close.*has closed since\.$/,
      ),
      nextStep: 'Run collect, or doctor for the reason.',
    });
    world.now += 5 * HOUR;
    expect(await ifDue()).toMatchObject({ state: 'waiting' });
    world.rows = rowsOf('2026-11-20T21:00:00Z');
    expect(await ifDue()).toMatchObject({ state: 'new', issue: { week: '2026-11-16', status: 'issued' } });
  });

  it('withholds the signal after six hours without the rows of the last close', async () => {
    const { ifDue, world } = startProcess('2026-11-27T14:00:00Z', FULL);
    world.now = at('2026-11-28T14:00:30Z');
    await ifDue();
    world.now = at('2026-11-28T19:59:59Z');
    expect(await ifDue()).toMatchObject({ state: 'waiting' });
    world.now += 1000;
    expect(await ifDue()).toMatchObject({
      state: 'new',
      issue: { week: '2026-11-23', status: 'withheld' },
      nextStep: 'Run collect, or doctor for the reason.',
    });
    world.rows = rowsOf('2026-11-27T18:00:00Z');
    expect(await ifDue()).toMatchObject({ state: 'none' });
  });

  it('waits six hours after the start of a process', async () => {
    const { ifDue, world } = startProcess('2026-12-06T02:00:00Z', FULL);
    expect(await ifDue()).toMatchObject({ state: 'waiting' });
    world.rows = rowsOf('2026-12-04T21:00:00Z');
    expect(await ifDue()).toMatchObject({ state: 'new', issue: { week: '2026-11-30', status: 'issued' } });
  });

  it('withholds a signal that has been due for two days', async () => {
    const { ifDue, world } = startProcess('2026-12-14T14:00:01Z', rowsOf('2026-12-11T21:00:00Z'));
    expect(await ifDue()).toMatchObject({
      issue: {
        week: '2026-12-07',
        status: 'withheld',
        reason: expect.stringMatching(/no server could decide it within two days/),
      },
    });
    expect(world.reads).toBe(1);
    expect(await run("select source from mailer.issued_signals where week = '2026-12-07'")).toEqual([
      { source: 'live' },
    ]);
  });

  it('is made once if a command makes it before the due time', async () => {
    const { byHand, ifDue, world } = startProcess('2026-12-16T22:00:00Z', rowsOf('2026-12-16T21:00:00Z'));
    expect(await byHand({ atOnce: false })).toMatchObject({
      state: 'existing',
      issue: { week: '2026-12-07' },
    });
    const issue = { week: '2026-12-14', status: 'issued', session: '2026-12-16' };
    const nextAt = at('2026-12-26T14:00:00Z');
    expect(await byHand({ atOnce: true })).toMatchObject({ state: 'new', issue, nextAt });
    world.now = at('2026-12-19T14:00:00Z');
    world.rows = rowsOf('2026-12-18T21:00:00Z');
    expect(await ifDue()).toMatchObject({ state: 'none' });
  });

  it('withholds no signal by a command before the due time', async () => {
    const { byHand, ifDue, world } = startProcess('2026-12-22T17:00:00Z', FULL);
    expect(await byHand({ atOnce: true })).toMatchObject({
      state: 'waiting',
      reason: expect.stringContaining('has closed since'),
      nextAt: at('2026-12-26T14:00:00Z'),
    });
    expect(world.reads).toBe(1);
    expect(await ifDue()).toMatchObject({ state: 'existing', issue: { week: '2026-12-14' } });
  });

  it('withholds a signal by a command after a second read', async () => {
    const { byHand, world } = startProcess('2026-12-26T15:00:00Z', EMPTY);
    expect(await byHand({ atOnce: false })).toMatchObject({
      state: 'new',
      issue: { week: '2026-12-21', status: 'withheld' },
    });
    expect(world.reads).toBe(2);
    expect(await byHand({ atOnce: true })).toMatchObject({
      state: 'existing',
      issue: { status: 'withheld' },
    });
  });

  it('ignores a later week that a process with a wrong clock recorded', async () => {
    const { byHand, ifDue, world } = startProcess('2030-01-05T15:00:00Z', FULL);
    const ahead = { state: 'new', issue: { week: '2029-12-31', status: 'withheld' } };
    expect(await byHand({ atOnce: false })).toMatchObject(ahead);
    world.now = at('2027-01-02T14:00:00Z');
    world.rows = rowsOf('2026-12-31T21:00:00Z');
    expect(await ifDue()).toMatchObject({ state: 'new', issue: { week: '2026-12-28', status: 'issued' } });
    expect(await ifDue()).toMatchObject({ state: 'none', nextAt: at('2027-01-09T14:00:00Z') });
  });

  it('never issues the signals of two weeks from one close', async () => {
    const rows = rowsOf('2027-01-08T21:00:00Z');
    const { ifDue } = startProcess('2027-01-09T14:00:00Z', rows);
    expect(await ifDue()).toMatchObject({ state: 'new', issue: { week: '2027-01-04', status: 'issued' } });
    const refused = {
      state: 'waiting',
      week: '2027-01-11',
      reason: 'The signal of the close of Fri 8 Jan 2027 was issued for the week of Mon 4 Jan 2027.',
      nextStep: 'Wait for the rows of the next close.',
    };
    const monday = startProcess('2027-01-11T13:00:00Z', rows);
    expect(await monday.byHand({ atOnce: true })).toMatchObject(refused);
    const moved = startProcess('2027-01-11T13:00:00Z', rows, { weekday: 1, minutes: 8 * 60 });
    expect(await moved.ifDue()).toMatchObject(refused);
    monday.world.now = at('2027-01-16T14:00:00Z');
    monday.world.rows = rowsOf('2027-01-15T21:00:00Z');
    expect(await monday.ifDue()).toMatchObject({ state: 'new', issue: { week: '2027-01-11' } });
  });

  it('waits while stored rows are later than the clock [R23]', async () => {
    await run(
      `insert into public.market_metrics (source, created_at) values ('live', '2999-01-11T21:00:00Z')`,
    );
    const { ifDue, world } = startProcess('2027-01-23T14:00:00Z', rowsOf('2027-01-22T21:00:00Z'));
    world.now += WAIT_FOR_ROWS_MS;
    expect(await ifDue()).toMatchObject({
      state: 'waiting',
      reason: expect.stringMatching(
        /^The newest rows are dated 2999-01-11T21:00:00.000Z, later than the clock/,
      ),
    });
    await run('delete from public.market_metrics');
    expect(await ifDue()).toMatchObject({ state: 'new', issue: { week: '2027-01-18', status: 'issued' } });
  });

  it('reads the rows of the day of the close', async () => {
    const seenFrom = async (began: string, rows: DashboardRows, time?: typeof SATURDAY_AT_NINE) => {
      const { ifDue, world } = startProcess(began, rows, time);
      expect(await ifDue()).toMatchObject({ state: 'new', issue: { status: 'issued' } });
      return world.seenFrom;
    };
    // Three cases: a server that was down over the weekend, a signal that is due on Monday morning, and a signal that
    // is due on Friday night.
    expect(await seenFrom('2027-02-01T13:00:00Z', rowsOf('2027-01-29T21:00:00Z'))).toBe('2027-01-29');
    const monday = { weekday: 1, minutes: 8 * 60 };
    expect(await seenFrom('2027-02-08T13:00:00Z', rowsOf('2027-02-05T21:00:00Z'), monday)).toBe('2027-02-07');
    const friday = { weekday: 5, minutes: 20 * 60 + 30 };
    expect(await seenFrom('2027-02-20T01:30:00Z', rowsOf('2027-02-19T21:00:00Z'), friday)).toBe('2027-02-19');
  });
});
