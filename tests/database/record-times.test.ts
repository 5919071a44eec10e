import { beforeAll, describe, expect, it } from 'vitest';
import { type Database, queryOnce, type Row, type TransactionOptions } from '#database/port.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { codeOf, OWNED_DATABASES } from '#tests/support/owned-databases.ts';
import { shared } from '#tests/support/shared.ts';

interface Kind {
  table: string;
  /** The kind of its entries in the ledger. */
  entry?: string;
  dated: string;
  /** SQL that adds row number `n` at a time, which is an SQL expression. */
  add: (at: string, n: number) => string;
}

/** The tables whose rows are in the order of their times. */
const ORDERED: Kind[] = [
  {
    table: 'archive.publications',
    entry: 'publication',
    dated: 'published_at',
    add: (
      at,
    ) => `insert into archive.publications (created_at_batch, session, kind, published_at, origin, rows, sha256)
      values ('2020-01-02T21:00:00Z', '2020-01-02', 'close', ${at}, 'rebuilt', '{}', '\\x00')`,
  },
  {
    table: 'public.quality_events',
    entry: 'event',
    dated: 'at',
    add: (at, n) =>
      `insert into public.quality_events (at, kind, event_key) values (${at}, 'missed run', 'key ${n}')`,
  },
  {
    table: 'archive.verdict_changes',
    entry: 'change',
    dated: 'at',
    add: (at, n) => `insert into archive.verdict_changes
        (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
      select date '2020-01-01' + ${n}, ${at}, last.to_verdict, case last.to_verdict when 'BUY' then 'SELL' else 'BUY' end,
        62, 'live', '2', last.id
      from (select) as one left join (select * from archive.verdict_changes order by id desc limit 1) as last on true`,
  },
  {
    table: 'archive.risk_outlooks',
    entry: 'risk',
    dated: 'at',
    add: (
      at,
      n,
    ) => `insert into archive.risk_outlooks (kind, session, at, rule, source, outcome_from, content)
      values ('outlook', date '5000-01-01' + ${n}, ${at}, 'r1', 'live', date '5000-01-02' + ${n}, '{}')`,
  },
  {
    table: 'mailer.issued_signals',
    entry: 'signal',
    dated: 'decided_at',
    add: (at, n) => `insert into mailer.issued_signals
        (week, status, reason, decided_at, source, formula_version, weights, inputs)
      values (date '2020-01-06' + 7 * ${n}, 'withheld', 'The rows are stale.', ${at}, 'live', '1', '{}', '{}')`,
  },
  {
    table: 'mailer.grades',
    entry: 'grade',
    dated: 'graded_at',
    add: (at) => `insert into mailer.grades (week, horizon_weeks, rule, status, reason, graded_at, replaces)
      select '2019-12-30', 1, 'g2', 'void', 'A close is missing.', ${at}, max(id) from mailer.grades`,
  },
];

/** The tables that refuse rows of the future, and nothing else because of their times. */
const DATED: Kind[] = [
  {
    table: 'archive.ledger_entries',
    dated: 'created_at',
    add: (at, n) => `insert into archive.ledger_entries (index, kind, row_id, entry, created_at)
      values (${n}, 'event', ${n}, '{}', ${at})`,
  },
];

/** The public views and what hides in them. */
const VIEWS = ['publications', 'quality_events', 'verdict_changes', 'issued_signals', 'signal_grades'];

const REFUSED = '23514';

describe.each(OWNED_DATABASES.slice(1))('the times of the record on $name', ({ start }) => {
  const ground = shared(start);
  let n = 0;

  beforeAll(async () => {
    await run(
      ground.database,
      `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
      values ('2019-12-30', 'withheld', 'The rows are stale.', '2020-01-04', '1', '{}', '{}')`,
    );
    for (const { add } of ORDERED) await run(ground.database, add("'2026-01-10T12:00:00Z'", next()));
  });
  const next = () => {
    n += 1;
    return n;
  };
  const run = (as: Database, sql: string, options: TransactionOptions = {}) =>
    queryOnce(as, sql, [], options);
  const asReplica = (sql: string) =>
    ground.asSuperuser.transaction(async (transaction) => {
      await transaction.query('set local session_replication_role = replica');
      return transaction.query(sql);
    });
  /** The results of a statement by each role that may add rows. */
  const byAll = async (sql: () => string) => [
    await codeOf(run(ground.database, sql())),
    await codeOf(run(ground.database, sql(), { role: 'service_role' })),
    await codeOf(run(ground.asSuperuser, sql())),
    await codeOf(asReplica(sql())),
  ];
  const newest = async ({ table, dated }: Kind): Promise<Row | undefined> =>
    (await run(ground.database, `select ${dated} as at from ${table} order by id desc limit 1`))[0];

  describe.each(ORDERED)('$table', (kind) => {
    it('refuses a row of the past by its owner, the service role, a superuser and a replica', async () => {
      const old = () => kind.add("'2022-12-31T14:00:00Z'", next());
      expect(await byAll(old)).toEqual(Array(4).fill(REFUSED));
      const almost = () => kind.add("'2026-01-10T10:59:59Z'", next());
      expect(await byAll(almost)).toEqual(Array(4).fill(REFUSED));
    });

    it('gives a row that is up to an hour older the time of the newest row', async () => {
      const before = await newest(kind);
      const slow = () => kind.add("'2026-01-10T11:00:01Z'", next());
      expect(await byAll(slow)).toEqual(Array(4).fill('accepted'));
      expect(await newest(kind)).toEqual(before);
    });

    it('enters rows in the order of their times if several processes add them at once', async () => {
      const seconds = Array.from({ length: 8 }, (_, at) => (at * 5) % 8);
      const adding = seconds.map((second) =>
        codeOf(
          ground.database.transaction(async (transaction) => {
            await transaction.query(
              kind.add(`timestamptz '2026-01-11T12:00:00Z' + ${second} * interval '1 second'`, next()),
            );
            await appendEntries(transaction);
          }),
        ),
      );
      await Promise.all(adding);
      // An id is drawn before the row waits for its turn, so ids do not have the order of the times.
      const entered = await run(
        ground.database,
        `select count(*) as rows, count(*) filter (where at < before) as late from (
           select entry::json ->> '${kind.dated}' as at,
             lag(entry::json ->> '${kind.dated}') over (order by index) as before
           from archive.ledger_entries where kind = '${kind.entry}') as entered`,
      );
      expect(entered).toEqual([{ rows: expect.toSatisfy((rows: number) => rows > 4), late: 0 }]);
    });

    it('refuses a row of the past among new rows', async () => {
      await run(ground.database, kind.add("'2026-01-12T12:00:00Z'", next()));
      const both = ground.database.transaction(async (transaction) => {
        await transaction.query(kind.add("'2026-01-13T12:00:00Z'", next()));
        await transaction.query(kind.add("'2026-01-11T12:00:00Z'", next()));
      });
      expect(await codeOf(both)).toBe(REFUSED);
    });
  });

  describe.each([...ORDERED, ...DATED])('$table', (kind) => {
    it('refuses a row of the future by its owner, the service role, a superuser and a replica [R23]', async () => {
      const later = () => kind.add("clock_timestamp() + interval '62 minutes'", next());
      expect(await byAll(later)).toEqual(Array(4).fill(REFUSED));
      expect(await codeOf(run(ground.database, kind.add("timestamptz 'infinity'", next())))).toBe(REFUSED);
    });
  });

  it('names table and dates in a refusal', async () => {
    const event = ORDERED.find(({ table }) => table === 'public.quality_events') as Kind;
    const messageOf = (sql: string) => run(ground.database, sql).catch((error: Error) => error.message);
    expect(await messageOf(event.add("'2022-12-31T14:00:00Z'", next()))).toMatch(
      /^A row of quality_events is dated 2022-12-31T14:00:00Z, earlier than its newest row \(2026-\S+Z\)\. Rows of the past/,
    );
    expect(await messageOf(event.add("'2999-01-02T14:00:00Z'", next()))).toMatch(
      /^A row of quality_events is dated 2999-01-02T14:00:00Z, later than the clock of the database/,
    );
  });

  it('refuses a decision for a week before the newest one, even with the current time', async () => {
    const decide = (week: string) => `insert into mailer.issued_signals
      (week, status, reason, decided_at, formula_version, weights, inputs)
      values ('${week}', 'withheld', 'The rows are stale.', '2026-02-01T14:00:00Z', '1', '{}', '{}')`;
    expect(await byAll(() => decide('2019-12-23'))).toEqual(Array(4).fill(REFUSED));
  });

  it('accepts past decisions only as rebuilt ones for the simulated market, and marks their entries', async () => {
    const rebuild = (source: string) => `insert into mailer.issued_signals
      (week, status, reason, decided_at, source, origin, formula_version, weights, inputs)
      values ('2018-01-01', 'withheld', 'None.', '2018-01-06T14:00:00Z', ${source}, 'rebuilt', '1', '{}', '{}')`;
    for (const source of ["'live'", "'csv'", "'replay'", 'null']) {
      expect(await codeOf(run(ground.database, rebuild(source)))).toBe(REFUSED);
    }
    const entries = await ground.database.transaction(async (transaction) => {
      await transaction.query(rebuild("'simulated'"));
      await appendEntries(transaction);
      return transaction.query<{ origin: string; week: string }>(
        `select entry::json ->> 'origin' as origin, entry::json ->> 'week' as week from archive.ledger_entries
         where kind = 'signal' order by index`,
      );
    });
    expect(entries.filter(({ origin }) => origin === 'rebuilt')).toEqual([
      { origin: 'rebuilt', week: '2018-01-01' },
    ]);
    expect(entries.filter(({ origin }) => origin === 'live')).toHaveLength(entries.length - 1);
    const shown = await run(
      ground.database,
      "select week, origin from public.issued_signals where origin <> 'live'",
    );
    expect(shown).toEqual([{ week: '2018-01-01', origin: 'rebuilt' }]);
  });

  // The last test: the rows of the future stay.
  it('shows no row of the future, and takes new rows after such a row [R23]', async () => {
    const countRows = async () =>
      Promise.all(
        VIEWS.map(
          async (view) =>
            (await run(ground.database, `select count(*) as rows from public.${view}`, { role: 'anon' }))[0],
        ),
      );
    const before = await countRows();
    await writeFutureRows(
      ground.database,
      ...ORDERED.map(({ add }) => add("'2999-01-05T14:00:00Z'", next())),
    );
    expect(await countRows()).toEqual(before);
    for (const kind of ORDERED) {
      expect([kind.table, await byAll(() => kind.add("'2026-02-02T12:00:00Z'", next()))]).toEqual([
        kind.table,
        Array(4).fill('accepted'),
      ]);
      expect(await codeOf(run(ground.database, kind.add("'2026-02-01T12:00:00Z'", next())))).toBe(REFUSED);
    }
    expect(await countRows()).toEqual(before.map((row) => ({ rows: Number(row?.rows) + 4 })));
  });
});
