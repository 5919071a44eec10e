import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '#database/port.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { mailSettings } from '#tests/support/deliveries.ts';
import { SATURDAY, sampleSignal } from '#tests/support/weekly-signal.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import { decideWeek } from './decide-week.ts';
import { recordDecision } from './stored-decisions.ts';

const WEEK = '2026-11-09';
const decide = (rows = FULL) => decideWeek({ rows, origins: [] }, { now: SATURDAY, at: SATURDAY });
const ISSUED = decide();
const WITHHELD = decide(EMPTY);
const FRAME = mailSettings();
const MAIL = renderWeeklySignal(sampleSignal(), FRAME);

/** Records an issued decision for `WEEK`. `changes` replaces some of its fields. */
async function record(database: Database, changes: Partial<Parameters<typeof recordDecision>[1]> = {}) {
  const given = { week: WEEK, decision: ISSUED, frame: FRAME, now: SATURDAY, ...changes };
  const { issue, isNew } = await recordDecision(database, given);
  return { ...issue, isNew };
}

describe('the ledger of two processes', () => {
  const { database: one, run, openAgain } = databaseOfEachTest();
  let other: Database;

  beforeEach(async () => {
    other = await openAgain();
    await run(
      `insert into public.email_subscribers (email, is_active, confirmed_at, deactivated_because) values
         ('one@example.com', true, now(), null), ('left@example.com', false, now(), 'left'),
         ('two@example.com', true, now(), null), ('asked@example.com', true, null, null),
         ('suspended@example.com', false, now(), 'address refused')`,
    );
    return () => other.close();
  });

  const deliveries = () =>
    run(
      `select email, status, attempts, due_at, give_up_at from mailer.deliveries
       join public.email_subscribers subscriber on subscriber.id = subscriber_id
       where message_id is not null order by email`,
    );
  const counts = () =>
    run(
      `select (select count(*) from mailer.issued_signals) as issues,
         (select count(*) from mailer.deliveries where message_id is not null) as mails`,
    );

  it('has one delivery for each active, confirmed subscriber', async () => {
    const issue = await record(one);
    expect(issue).toMatchObject({
      ...{ isNew: true, week: WEEK, status: 'issued', reason: null, decidedAt: SATURDAY },
      ...{ session: '2026-11-13', verdict: 'HOLD', score: 56.9 },
    });
    const due = { due_at: '2026-11-14T14:00:00.000Z', give_up_at: '2026-11-16T14:00:00.000Z' };
    const mail = { status: 'pending', attempts: 0, ...due };
    expect(await deliveries()).toEqual([
      { email: 'one@example.com', ...mail },
      { email: 'two@example.com', ...mail },
    ]);
    // This subscriber subscribed after the issue, so the issue has no delivery for them.
    await run("insert into public.email_subscribers (email) values ('late@example.com')");
    const again = await record(one, { now: SATURDAY + 60_000 });
    expect(again).toEqual({ ...issue, isNew: false });
    expect(await deliveries()).toHaveLength(2);
  });

  it('rejects a second delivery of an issue to a subscriber', async () => {
    await record(one);
    for (const which of ['is not null', 'is null']) {
      const again = `insert into mailer.deliveries (channel, message_id, subscriber_id, due_at, give_up_at)
        select channel, message_id, subscriber_id, due_at, give_up_at from mailer.deliveries where message_id ${which}`;
      await expect(run(again)).rejects.toMatchObject({ code: '23505' });
    }
  });

  it('stores the inputs of the decision with its rendered mail', async () => {
    await record(one);
    const [row] = await run('select * from mailer.issued_signals');
    expect(row).toMatchObject({
      week: WEEK,
      decided_at: '2026-11-14T14:00:00.000Z',
      session: '2026-11-13',
      source: 'live',
      verdict: 'HOLD',
      score: 56.9,
      range_low: sampleSignal().range?.low,
      range_high: sampleSignal().range?.high,
      sp500_close: 6734.11,
      formula_version: SIGNAL_FORMULA,
      weights: SIGNAL_WEIGHTS,
      inputs: ISSUED.inputs,
    });
    expect(await run('select channel, issue_id, name, content from mailer.messages')).toEqual([
      { channel: 'mail', issue_id: row?.id, name: WEEK, content: MAIL },
    ]);
  });

  it('is durable before the promise resolves', async () => {
    const used = vi.spyOn(one, 'transaction');
    await record(one);
    expect(used.mock.calls.map(([, options]) => options)).toMatchObject([{ durable: true }]);
  });

  it('never replaces a withheld week', async () => {
    const issue = await record(one, { decision: WITHHELD });
    expect(issue).toMatchObject({
      ...{ isNew: true, status: 'withheld', session: null, verdict: null, score: null },
      reason: 'No market rows exist, so no signal can be decided.',
    });
    const late = await record(other);
    expect(late).toEqual({ ...issue, isNew: false });
    expect(await counts()).toEqual([{ issues: 1, mails: 0 }]);
  });

  it('has one issue and one delivery per subscriber after concurrent decisions', async () => {
    const issues = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        record(at % 2 === 0 ? one : other, {
          decision: at % 3 === 0 ? WITHHELD : ISSUED,
          now: SATURDAY + at,
        }),
      ),
    );
    const news = issues.filter(({ isNew }) => isNew);
    expect(news).toHaveLength(1);
    for (const { isNew: _, ...issue } of issues) expect({ ...issue, isNew: true }).toEqual(news[0]);
    expect(await counts()).toEqual([{ issues: 1, mails: news[0]?.status === 'issued' ? 2 : 0 }]);
  });

  it('has no delivery for a subscriber who is erased at the same time', async () => {
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'
      and query like '%insert into mailer.deliveries%' and pid <> pg_backend_pid()`;
    let issued = Promise.resolve<unknown>(null);
    await one.transaction(async (transaction) => {
      await transaction.query("delete from public.email_subscribers where email = 'one@example.com'");
      issued = record(other);
      await expect.poll(() => run(waiting)).toHaveLength(1);
    });
    expect(await issued).toMatchObject({ isNew: true, status: 'issued' });
    expect((await deliveries()).map(({ email }) => email)).toEqual(['two@example.com']);
  });
});
