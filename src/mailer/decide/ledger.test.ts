import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Row, TransactionOptions } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';
import { rowsFrom, SATURDAY, sampleSignal } from '#tests/support/weekly-signal.ts';
import { decideSignalOfWeek } from './decision.ts';
import { newestIssues, readIssue, recordDecision } from './ledger.ts';

const WEEK = '2026-11-09';
const decide = (rows = FULL) => decideSignalOfWeek({ rows, origins: [] }, { now: SATURDAY, at: SATURDAY });
const ISSUED = decide();
const WITHHELD = decide(EMPTY);

const query = <R extends Row>(database: Database, sql: string) =>
  database.transaction((transaction) => transaction.query<R>(sql));

/** A ledger can only be emptied by who may turn its guard off. */
async function empty(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.script(`
      alter table mailer.issued_signals disable trigger all;
      truncate mailer.issued_signals, mailer.deliveries, public.email_subscribers cascade;
      alter table mailer.issued_signals enable always trigger issued_signals_stand;
      alter table mailer.issued_signals enable always trigger issued_signals_stay`),
  );
}

const subscribe = (database: Database) =>
  query(
    database,
    `insert into public.email_subscribers (email, is_active, confirmed_at, deactivated_because) values
       ('one@example.com', true, now(), null), ('left@example.com', false, now(), 'left'),
       ('two@example.com', true, now(), null), ('asked@example.com', true, null, null),
       ('suspended@example.com', false, now(), 'address refused')`,
  );

const deliveries = (database: Database) =>
  query<{ email: string; status: string; attempts: number; due_at: string; give_up_at: string }>(
    database,
    `select email, status, attempts, due_at, give_up_at from mailer.deliveries
     join public.email_subscribers subscriber on subscriber.id = subscriber_id
     where issue_id is not null order by email`,
  );

const counts = async (database: Database) => {
  const [row] = await query<{ issues: number; mails: number }>(
    database,
    `select (select count(*) from mailer.issued_signals) as issues,
       (select count(*) from mailer.deliveries where issue_id is not null) as mails`,
  );
  return row;
};

const newest = (database: Database, count: number) =>
  database.transaction((transaction) => newestIssues(transaction, count), { readOnly: true });

/** What holds of the ledger on either engine. */
function describeLedger(open: () => { one: Database; other: Database }): void {
  afterEach(() => empty(open().one));

  it('has a mail for every subscriber who is there and confirmed, once', async () => {
    const { one } = open();
    await subscribe(one);
    const issue = await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY });
    expect(issue).toMatchObject({
      ...{ isNew: true, week: WEEK, status: 'issued', reason: null, decidedAt: SATURDAY },
      ...{ session: '2026-11-13', verdict: 'HOLD', score: 56.9 },
    });
    const due = { due_at: '2026-11-14T14:00:00.000Z', give_up_at: '2026-11-16T14:00:00.000Z' };
    const mail = { status: 'pending', attempts: 0, ...due };
    expect(await deliveries(one)).toEqual([
      { email: 'one@example.com', ...mail },
      { email: 'two@example.com', ...mail },
    ]);
    // Who comes later is not part of it.
    await query(one, "insert into public.email_subscribers (email) values ('late@example.com')");
    const again = await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY + 60_000 });
    expect(again).toEqual({ ...issue, isNew: false });
    expect(await deliveries(one)).toHaveLength(2);
  });

  it('has no second mail of an issue for a subscriber, nor a second question, whoever wants one', async () => {
    const { one } = open();
    await subscribe(one);
    await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY });
    const [row] = await query<{ mails: number; questions: number }>(
      one,
      'select count(issue_id) as mails, count(*) filter (where issue_id is null) as questions from mailer.deliveries',
    );
    expect(row).toEqual({ mails: 2, questions: 1 });
    for (const which of ['is not null', 'is null']) {
      const again = `insert into mailer.deliveries (issue_id, subscriber_id, due_at, give_up_at)
        select issue_id, subscriber_id, due_at, give_up_at from mailer.deliveries where issue_id ${which}`;
      await expect(query(one, again)).rejects.toMatchObject({ code: '23505' });
    }
  });

  it('freezes what it was decided from', async () => {
    const { one } = open();
    await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY });
    const [row] = await query(one, 'select * from mailer.issued_signals');
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
      mail: sampleSignal(),
    });
  });

  it('is there to stay before anybody is told of it', async () => {
    const { one } = open();
    const asked: TransactionOptions[] = [];
    const watched: Database = {
      ...one,
      transaction: (work, options = {}) => {
        asked.push(options);
        return one.transaction(work, options);
      },
    };
    await recordDecision(watched, { week: WEEK, decision: ISSUED, now: SATURDAY });
    expect(asked).toMatchObject([{ durable: true }]);
  });

  it('gives a mail back as it was frozen', async () => {
    const { one, other } = open();
    const { id, mail } = await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY });
    expect(mail).toEqual(sampleSignal());
    expect((await readIssue(other, id))?.mail).toEqual(sampleSignal());
    expect(await readIssue(one, id + 1)).toBeNull();
  });

  it('keeps a withheld week for good, with its reason and no mail', async () => {
    const { one, other } = open();
    await subscribe(one);
    const issue = await recordDecision(one, { week: WEEK, decision: WITHHELD, now: SATURDAY });
    expect(issue).toMatchObject({
      ...{ isNew: true, status: 'withheld', session: null, verdict: null, score: null, mail: null },
      reason:
        'There are no market rows to decide a signal from; collect brings them, or doctor says why not.',
    });
    const late = await recordDecision(other, { week: WEEK, decision: ISSUED, now: SATURDAY });
    expect(late).toEqual({ ...issue, isNew: false });
    expect(await counts(one)).toEqual({ issues: 1, mails: 0 });
  });

  it('names the newest weeks first, also where a mail among them cannot be read', async () => {
    const { one } = open();
    const demo = decide(rowsFrom('simulated'));
    const broken = { ...ISSUED, mail: { verdict: 'HOLD' } } as unknown as typeof ISSUED;
    await recordDecision(one, { week: '2026-11-02', decision: ISSUED, now: SATURDAY });
    await expect(recordDecision(one, { week: WEEK, decision: broken, now: SATURDAY })).rejects.toThrow(
      /^The signal of the week of 2026-11-09 cannot be read from mailer\.issued_signals at subject: another/,
    );
    await recordDecision(one, { week: '2026-11-16', decision: demo, now: SATURDAY });
    expect((await newest(one, 5)).map(({ week }) => week)).toEqual(['2026-11-16', '2026-11-02']);
    expect(await newest(one, 1)).toMatchObject([{ week: '2026-11-16', status: 'issued', score: 56.9 }]);
    await query(
      one,
      `insert into mailer.issued_signals (week, status, decided_at, session, verdict, score, formula_version,
         weights, inputs, mail)
       select '2026-11-23', status, decided_at, session, verdict, score, formula_version, weights, inputs, '{}'
       from mailer.issued_signals limit 1`,
    );
    const [unread] = await newest(one, 1);
    expect(unread?.week).toBe('2026-11-23');
    await expect(readIssue(one, unread?.id ?? 0)).rejects.toThrow(
      /^The signal of the week of 2026-11-23 cannot/,
    );
  });

  it('has neither a week nor a mail of a transaction that did not end well', async () => {
    const { one } = open();
    await subscribe(one);
    const failing: Database = {
      ...one,
      transaction: (work, options) =>
        one.transaction(async (transaction) => {
          await work(transaction);
          throw new Error('killed');
        }, options),
    };
    await expect(recordDecision(failing, { week: WEEK, decision: ISSUED, now: SATURDAY })).rejects.toThrow(
      'killed',
    );
    expect(await counts(one)).toEqual({ issues: 0, mails: 0 });
    expect(await recordDecision(one, { week: WEEK, decision: ISSUED, now: SATURDAY })).toMatchObject({
      isNew: true,
    });
    expect(await counts(one)).toEqual({ issues: 1, mails: 2 });
  });

  it('has one issue and one mail a subscriber, however many decide at once', async () => {
    const { one, other } = open();
    await subscribe(one);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        recordDecision(at % 2 === 0 ? one : other, {
          week: WEEK,
          decision: at % 3 === 0 ? WITHHELD : ISSUED,
          now: SATURDAY + at,
        }),
      ),
    );
    const news = answers.filter(({ isNew }) => isNew);
    expect(news).toHaveLength(1);
    for (const { isNew: _, ...standing } of answers) expect({ ...standing, isNew: true }).toEqual(news[0]);
    expect(await counts(one)).toEqual({ issues: 1, mails: news[0]?.status === 'issued' ? 2 : 0 });
  });
}

describe('the ledger in the embedded database', () => {
  let embedded: Awaited<ReturnType<typeof embeddedForTest>>;
  beforeAll(async () => {
    embedded = await embeddedForTest();
  });
  afterAll(() => embedded.remove());
  describeLedger(() => ({ one: embedded.database, other: embedded.database }));
});

describe.runIf(hasPostgres())('the ledger in Postgres, which two processes have open', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let one: Database;
  let other: Database;

  beforeAll(async () => {
    server = await startPostgres();
    one = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    other = await openPostgres({ url: server.url });
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await server.stop();
  });
  describeLedger(() => ({ one, other }));

  /** A transaction that has run `sql` and stays open until let go. */
  async function holdOpen(sql: string): Promise<() => Promise<void>> {
    let letGo = () => {};
    let isHeld = () => {};
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const holding = one.transaction(async (transaction) => {
      await transaction.query(sql);
      isHeld();
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    });
    await held;
    return () => {
      letGo();
      return holding;
    };
  }

  /** What `ask` says of the one statement that waits with its mails for another transaction. */
  const waiting = (ask: string) =>
    query(
      one,
      `select ${ask} as answer from pg_stat_activity
       where wait_event_type = 'Lock' and query like 'insert into mailer.deliveries%'`,
    );

  it('has neither a week nor a mail of a process that was killed between them', async () => {
    await subscribe(one);
    const letGo = await holdOpen('lock table public.email_subscribers in access exclusive mode');
    const killed = recordDecision(other, { week: WEEK, decision: ISSUED, now: SATURDAY });
    const outcome = expect(killed).rejects.toThrow();
    await expect.poll(() => waiting('pg_terminate_backend(pid)')).toEqual([{ answer: true }]);
    await outcome;
    await letGo();
    expect(await counts(one)).toEqual({ issues: 0, mails: 0 });
    const again = await recordDecision(other, { week: WEEK, decision: ISSUED, now: SATURDAY });
    expect(again.isNew).toBe(true);
    expect(await counts(one)).toEqual({ issues: 1, mails: 2 });
  });

  it('has no mail for who is erased at the moment it is issued', async () => {
    await subscribe(one);
    const letGo = await holdOpen("delete from public.email_subscribers where email = 'one@example.com'");
    const issued = recordDecision(other, { week: WEEK, decision: ISSUED, now: SATURDAY });
    await expect.poll(() => waiting('true')).toEqual([{ answer: true }]);
    await letGo();
    expect(await issued).toMatchObject({ isNew: true, status: 'issued' });
    expect((await deliveries(one)).map(({ email }) => email)).toEqual(['two@example.com']);
  });
});
