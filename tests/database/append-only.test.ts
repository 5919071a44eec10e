import { beforeAll, describe, expect, it } from 'vitest';
import { type Database, queryOnce, type TransactionOptions } from '#database/port.ts';
import { codeOf, OWNED_DATABASES } from '#tests/support/owned-databases.ts';
import { shared } from '#tests/support/shared.ts';

/** The append-only tables of the record, with a row and a change for each. */
const TABLES = [
  {
    table: 'archive.publications',
    row: `(created_at_batch, session, kind, published_at, origin, rows, sha256)
      values ('2026-11-20T21:00:00Z', '2026-11-20', 'close', '2026-11-20T21:30:00Z', 'live', '{}', '\\x00')`,
    change: "kind = 'final'",
  },
  {
    table: 'public.quality_events',
    row: "(at, kind, event_key) values ('2026-11-20T21:30:00Z', 'late', 'key')",
    change: "kind = 'missing'",
  },
  {
    table: 'archive.verdict_changes',
    row: `(session, at, from_verdict, to_verdict, score, source, formula_version, follows)
      select date '2026-11-20' + count(*)::int, now(), case count(*) when 0 then null else 'HOLD' end, 'BUY', 62, 'live', '2', max(id)
      from archive.verdict_changes`,
    change: 'score = 50',
    isReferenced: true,
  },
  {
    table: 'archive.risk_outlooks',
    row: `(kind, session, at, rule, source, outcome_from, content)
      select 'outlook', date '2026-11-20' + count(*)::int, '2026-11-20T22:00:00Z', 'r1', 'live', date '2026-11-23' + count(*)::int, '{}'
      from archive.risk_outlooks`,
    change: "content = '[]'",
  },
  {
    table: 'archive.ledger_entries',
    row: "(index, kind, row_id, entry) select count(*), 'event', count(*), '{}' from archive.ledger_entries",
    change: "entry = '[]'",
  },
  {
    table: 'archive.ledger_key',
    row: "(seed) values (sha256('seed')) on conflict do nothing",
    change: "seed = sha256('another')",
  },
];

const WEEK = `(week, status, reason, decided_at, formula_version, weights, inputs)
  values ('2026-11-16', 'withheld', 'The rows are stale.', now(), '1', '{}', '{}')`;

/** The append-only tables whose rows refer to a decision, in the order of their references. */
const OF_THE_MAILER: readonly (Protected & { row: string })[] = [
  {
    table: 'mailer.issued_signals',
    row: WEEK,
    change: "reason = 'another'",
    isReferenced: true,
    more: [
      "update mailer.issued_signals set week = '2026-11-09'",
      'truncate mailer.issued_signals, mailer.messages, mailer.deliveries, mailer.grades, archive.anchors',
      `insert into mailer.issued_signals ${WEEK} on conflict (week) do update set reason = excluded.reason`,
    ],
  },
  {
    table: 'mailer.grades',
    row: "(week, horizon_weeks, rule, status, reason) values ('2026-11-16', 1, 'g2', 'void', 'A close is missing.')",
    change: "reason = 'another'",
  },
  {
    table: 'mailer.messages',
    row: "(channel, issue_id, name, content) select 'mail', id, week, '{}' from mailer.issued_signals",
    change: "content = '{}'",
    isReferenced: true,
    more: ['truncate mailer.messages, mailer.deliveries, archive.anchors'],
  },
  {
    table: 'archive.anchors',
    row: `(message_id, kind, authority, proof, anchored_at)
      select id, 'git', 'example.com', 'a commit', now() from mailer.messages`,
    change: "proof = 'another'",
  },
];

interface Protected {
  table: string;
  change: string;
  /** True if other tables refer to this table. Postgres itself then refuses to truncate it alone. */
  isReferenced?: boolean;
  /** Other changes. */
  more?: readonly string[];
}

const changesOf = ({ table, change, isReferenced, more = [] }: Protected) => [
  `update ${table} set ${change}`,
  `delete from ${table}`,
  ...(isReferenced ? [] : [`truncate ${table}`]),
  `truncate ${table} cascade`,
  ...more,
];

const APPEND_ONLY = '55000';
const NO_RIGHT = '42501';

describe.each(OWNED_DATABASES)('on $name', ({ start }) => {
  const ground = shared(start);
  beforeAll(async () => {
    for (const { table, row } of [...TABLES, ...OF_THE_MAILER]) {
      await run(ground.database, [`insert into ${table} ${row}`]);
    }
  });

  const run = (database: Database, statements: string[], options: TransactionOptions = {}) =>
    database.transaction(async (transaction) => {
      for (const sql of statements) await transaction.query(sql);
    }, options);
  const refusalOf = (...attempt: Parameters<typeof run>) => codeOf(run(...attempt));

  // A role without the right to change a table is refused before the trigger fires.
  it('refuses every change by every role and a replica: 55000 with the privilege, 42501 without [T24]', async () => {
    const { asSuperuser } = ground;
    const roles = await queryOnce<{ name: string; has_rights: boolean }>(
      asSuperuser,
      `select rolname as name, rolsuper or rolname = (
           select tableowner from pg_tables where schemaname = 'archive' and tablename = 'publications'
         ) as has_rights
         from pg_roles where rolname not like 'pg\\_%' order by rolname`,
    );
    const changes = [...TABLES, ...OF_THE_MAILER].flatMap(changesOf);
    for (const { name, has_rights } of roles) {
      const codes = new Set<unknown>();
      for (const sql of changes) codes.add(await refusalOf(asSuperuser, [`set local role "${name}"`, sql]));
      expect([name, ...codes]).toEqual([name, has_rights ? APPEND_ONLY : NO_RIGHT]);
    }
    for (const sql of changes) {
      expect([sql, await refusalOf(ground.database, [sql])]).toEqual([sql, APPEND_ONLY]);
      const asReplica = ['set local session_replication_role = replica', sql];
      expect([sql, await refusalOf(asSuperuser, asReplica)]).toEqual([sql, APPEND_ONLY]);
    }
    expect(roles.map(({ name }) => name)).toEqual(expect.arrayContaining(['anon', 'service_role']));
  });

  it.each(TABLES)('lets only the operator add a row to $table', async ({ table, row }) => {
    const insert = `insert into ${table} ${row.replace("'key'", "'another key'").replace("'close'", "'final'")}`;
    expect(await refusalOf(ground.database, [insert], { role: 'anon' })).toBe(NO_RIGHT);
    expect(await refusalOf(ground.database, [insert], { role: 'service_role' })).toBe('accepted');
  });

  it('accepts one decision per week', async () => {
    const another = `insert into mailer.issued_signals ${WEEK}`;
    const { database } = ground;
    expect(await refusalOf(database, [another])).toBe('23505');
    expect(await refusalOf(database, [another], { role: 'service_role' })).toBe('23505');
    await run(database, [`${another} on conflict (week) do nothing`]);
    expect(await refusalOf(database, [another.replace('2026-11-16', '2026-11-17')])).toBe('23514');
  });

  it('accepts one first grade per week and horizon, with one replacement', async () => {
    const grade = (replaces: string, week = '2026-11-16') =>
      `insert into mailer.grades (week, horizon_weeks, rule, status, reason, replaces)
       values ('${week}', 1, 'g2', 'void', 'another', ${replaces})`;
    const first = '(select min(id) from mailer.grades)';
    for (const options of [{}, { role: 'service_role' }] as const) {
      const refused = (...statements: string[]) => refusalOf(ground.database, statements, options);
      expect(await refused(grade('null'))).toBe('23505');
      expect(await refused(grade(first), grade(first))).toBe('23505');
      expect(await refused(grade('null', '2026-11-09'))).toBe('23503');
      expect(await refused(grade('1000000'))).toMatch(/^235/);
    }
  });
});
