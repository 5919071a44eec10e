import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseError, type TransactionOptions } from '#database/port.ts';
import { OWNED_DATABASES, type OwnedDatabase } from '#tests/support/owned-databases.ts';

const CHANGES = [
  "update mailer.issued_signals set reason = 'another'",
  "update mailer.issued_signals set week = '2026-11-09'",
  'delete from mailer.issued_signals',
  'truncate mailer.issued_signals, mailer.messages, mailer.deliveries, mailer.grades, archive.anchors',
  'truncate mailer.issued_signals cascade',
  "update mailer.messages set content = '{}'",
  'delete from mailer.messages',
  'truncate mailer.messages, mailer.deliveries, archive.anchors',
  "update archive.anchors set proof = 'another'",
  'delete from archive.anchors',
  'truncate archive.anchors',
  "update mailer.grades set reason = 'another'",
  'update mailer.grades set graded_at = now()',
  'delete from mailer.grades',
  'truncate mailer.grades',
  `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
   values ('2026-11-16', 'withheld', 'another', now(), '1', '{}', '{}')
   on conflict (week) do update set reason = excluded.reason`,
];

const BY_TRIGGER = '55000';
const NO_RIGHT = '42501';

describe.each(OWNED_DATABASES)('decisions and grades on $name', ({ start }) => {
  let started: OwnedDatabase | undefined;
  beforeAll(async () => {
    started = await start();
    await run(started.database, [
      `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
       values ('2026-11-16', 'withheld', 'The rows are stale.', now(), '1', '{}', '{}')`,
      `insert into mailer.grades (week, horizon_weeks, rule, status, reason)
       values ('2026-11-16', 1, 'g2', 'void', 'A close is missing.')`,
      `insert into mailer.messages (channel, issue_id, name, content)
       select 'mail', id, week, '{}' from mailer.issued_signals`,
      `insert into archive.anchors (message_id, kind, authority, proof, anchored_at)
       select id, 'git', 'example.com', 'a commit', now() from mailer.messages`,
    ]);
  });
  afterAll(() => started?.stop());

  const run = (database: Database, statements: string[], options: TransactionOptions = {}) =>
    database.transaction(async (transaction) => {
      for (const sql of statements) await transaction.query(sql);
    }, options);
  const opened = (): OwnedDatabase => {
    if (started === undefined) throw new Error('not started');
    return started;
  };
  const refusalOf = async (database: Database, statements: string[], options: TransactionOptions = {}) => {
    const error = await run(database, statements, options).catch((reason: unknown) => reason);
    if (error instanceof DatabaseError) return error.code;
    return error ?? 'accepted';
  };
  const readWeek = () =>
    opened().database.transaction((transaction) =>
      transaction.query('select week, status, reason from mailer.issued_signals'),
    );

  it.each(CHANGES)('are protected from their owner, a superuser and a replica: %s [T24]', async (change) => {
    const { database, asSuperuser } = opened();
    expect(await refusalOf(database, [change])).toBe(BY_TRIGGER);
    expect(await refusalOf(asSuperuser, [change])).toBe(BY_TRIGGER);
    const asReplica = ['set local session_replication_role = replica', change];
    expect(await refusalOf(asSuperuser, asReplica)).toBe(BY_TRIGGER);
  });

  it.each(CHANGES)('are protected from other roles: %s', async (change) => {
    for (const role of ['anon', 'service_role'] as const) {
      expect(await refusalOf(opened().database, [change], { role })).toBe(NO_RIGHT);
    }
  });

  it('include one decision per week', async () => {
    const another = `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
      values ('2026-11-16', 'withheld', 'another', now(), '1', '{}', '{}')`;
    expect(await refusalOf(opened().database, [another])).toBe('23505');
    expect(await refusalOf(opened().database, [another], { role: 'service_role' })).toBe('23505');
    await run(opened().database, [`${another} on conflict (week) do nothing`]);
    expect(await refusalOf(opened().database, [another.replace('2026-11-16', '2026-11-17')])).toBe('23514');
  });

  it('include one first grade per week and horizon, with one replacement', async () => {
    const grade = (replaces: string, week = '2026-11-16') =>
      `insert into mailer.grades (week, horizon_weeks, rule, status, reason, replaces)
       values ('${week}', 1, 'g2', 'void', 'another', ${replaces})`;
    const first = '(select min(id) from mailer.grades)';
    const { database } = opened();
    for (const options of [{}, { role: 'service_role' }] as const) {
      expect(await refusalOf(database, [grade('null')], options)).toBe('23505');
      expect(await refusalOf(database, [grade(first), grade(first)], options)).toBe('23505');
      expect(await refusalOf(database, [grade('null', '2026-11-09')], options)).toBe('23503');
      expect(await refusalOf(database, [grade('1000000')], options)).toMatch(/^235/);
    }
  });

  it('are unchanged after all attempts', async () => {
    expect(await readWeek()).toEqual([
      { week: '2026-11-16', status: 'withheld', reason: 'The rows are stale.' },
    ]);
  });
});
