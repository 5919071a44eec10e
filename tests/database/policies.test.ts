import { describe, expect, it } from 'vitest';
import { type Parameter, queryOnce, type Row, type TransactionOptions } from '#database/port.ts';
import {
  ARCHIVE_TABLES,
  FEAR_GREED_SESSIONS_VIEW,
  PUBLISHED_TABLE_NAMES,
  RECORD_VIEWS,
  VERDICT_CHANGES_VIEW,
} from '#schema/tables.ts';
import { SPELLINGS, WITHOUT_A_FORM } from '#tests/support/addresses.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { codeOf, OWNED_DATABASES } from '#tests/support/owned-databases.ts';
import { shared } from '#tests/support/shared.ts';

/** A statement with its name. */
type Attempt = readonly [name: string, sql: string, parameters?: readonly Parameter[]];

const REFUSED = '42501';

const SUBSCRIBE = 'insert into email_subscribers (email, is_active) values ($1, true)';
const subscribing = (email: string): Attempt => [JSON.stringify(email), SUBSCRIBE, [email]];

/** Schemas that visitors have no rights in. */
const INTERNAL_SCHEMAS = ['collector', 'operations', 'archive', 'mailer', 'supabase_migrations'];

/** Statements that visitors have no right to, beside those on tables, sequences and functions: see `INTENDED`. */
const FORBIDDEN: Attempt[] = [
  [
    'inserting an inactive subscriber',
    "insert into email_subscribers (email, is_active) values ('b@example.com', false)",
  ],
  ['changing the policies', 'drop policy "anybody subscribes" on email_subscribers'],
  ['disabling row level security', 'alter table email_subscribers disable row level security'],
  ['granting itself rights', 'grant select on email_subscribers to anon'],
  ['making a table', 'create table public.mine (id int)'],
  ['making a role', 'create role another superuser'],
  ['reading files of the server', "select pg_read_file('PG_VERSION')"],
  ['running programs of the server', "copy (select 1) to program 'true'"],
];

/** The tables and views that every visitor can read. */
const READABLE = [
  ...[...PUBLISHED_TABLE_NAMES, ...ARCHIVE_TABLES, ...RECORD_VIEWS],
  ...[VERDICT_CHANGES_VIEW, FEAR_GREED_SESSIONS_VIEW],
];
/** All rights of visitors in the public schema. */
const INTENDED = [
  ...READABLE.map((name) => ({ role: 'anon', name, right_to: 'select' })),
  ...['alerts', 'email', 'is_active'].map((column) => ({
    ...{ role: 'anon', name: `email_subscribers.${column}`, right_to: 'insert' },
  })),
];

const ACCEPTED = [
  'a@b.co',
  'first.last+tag@sub.example.museum',
  "o'brien@example.com",
  'ünïcode@exämple.com',
  '  padded@example.com ',
];

const MALFORMED = [
  '',
  ' ',
  '\u3000wide-space@example.com',
  'nobody',
  'a@b',
  '@b.co',
  'a@.',
  'a b@c.de',
  'a@b c.de',
  'a@b@c.de',
  'a@b.co\r\nBcc: all@example.com',
  'a@b.co\n',
  'a\r@b.co',
  'a@b.co\t',
  'a\u0007@b.co',
  'a\u0085@b.co',
  'a\u00a0b@c.de',
  'zero\u200bwidth@example.com',
  'tag\u{e0041}@example.com',
  '"quoted"@example.com',
  'a,b@example.com',
  'a;b@example.com',
  '<a@example.com>',
  'a@[192.0.2.1].co',
  'a\\b@example.com',
  `${'a'.repeat(320)}@b.co`,
  ...WITHOUT_A_FORM,
];

const INVALID = [
  'market_metrics (market_exposure) values (100.1)',
  'market_metrics (overall_strength) values (-0.1)',
  "market_metrics (overall_strength) values ('NaN')",
  "fear_greed_index (index_value, index_label) values (101, 'Greed')",
  "fear_greed_index (index_value, index_label) values (50, 'Bored')",
  "fear_greed_index (index_value, index_label, put_call_options) values (50, 'Neutral', 1000)",
  "sector_strength (sector, strength) values ('Energy', 100.5)",
  "sector_strength (sector, strength) values ('', 50)",
  'advanced_indicators (vix) values (-1)',
  "advanced_indicators (vix_change) values ('Infinity')",
  'advanced_indicators (high_low_index) values (101)',
  "market_sentiment (timeframe, score) values ('weekly', 50)",
  "market_sentiment (timeframe, signal) values ('short', 'Buy')",
  "market_sentiment (timeframe, rsi) values ('short', 101)",
  'market_breadth (advancing_stocks) values (-1)',
  "market_indices (symbol, name, price) values ('SPX', 'S&P 500', 0)",
  "market_metrics (market_exposure, source) values (50, 'invented')",
  "market_stocks (symbol, name, sector, weight) values ('AAA', 'Aaa', 'Energy', -1)",
];

const DATED_ROWS = [
  "market_indices (symbol, name, created_at) values ('SPX', 'S&P 500', '2020-01-02')",
  "market_metrics (created_at) values ('2020-01-02')",
  "fear_greed_index (index_value, index_label, created_at) values (50, 'Neutral', '2020-01-02')",
  "sector_strength (sector, created_at) values ('Energy', '2020-01-02')",
  "advanced_indicators (created_at) values ('2020-01-02')",
  "market_sentiment (timeframe, created_at) values ('short', '2020-01-02')",
  "market_breadth (created_at) values ('2020-01-02')",
  "input_origins (input, created_at) values ('bars', '2020-01-02')",
  "market_stocks (symbol, name, sector, created_at) values ('AAA', 'Aaa', 'Energy', '2020-01-02')",
];

describe.each(OWNED_DATABASES)('on $name', ({ start }) => {
  const ground = shared(start);

  const run = (sql: string, options: TransactionOptions, parameters: Parameter[] = []) =>
    queryOnce(ground.database, sql, parameters, options);
  const asAnon = (sql: string, parameters: Parameter[] = []) => run(sql, { role: 'anon' }, parameters);
  const asOwner = (sql: string, parameters: Parameter[] = []) => run(sql, {}, parameters);
  const deleteSubscribers = () => asOwner('delete from email_subscribers');
  const subscribe = (email: string) => asAnon(SUBSCRIBE, [email]);
  /** The results of the statements by name. Each statement is rolled back. */
  const codesOf = (attempts: readonly Attempt[], options: TransactionOptions = {}) =>
    ground.database.transaction(async (transaction) => {
      const codes: Record<string, string> = {};
      for (const [name, sql, parameters] of attempts) {
        await transaction.query('savepoint before');
        codes[name] = await codeOf(transaction.query(sql, parameters));
        await transaction.query('rollback to savepoint before');
      }
      return codes;
    }, options);
  /** Expects the same result from all statements. */
  const expectEach = async (attempts: readonly Attempt[], code: string, options?: TransactionOptions) => {
    const expected = Object.fromEntries(attempts.map(([name]) => [name, code]));
    expect(Object.keys(expected)).toHaveLength(attempts.length);
    expect(await codesOf(attempts, options)).toEqual(expected);
  };

  it('a visitor can read every table of the market [S3.1] [S6.1]', async () => {
    const reads = READABLE.map(
      (table): Attempt => [table, `select * from ${table} order by id desc limit 1`],
    );
    await expectEach(reads, 'accepted', { role: 'anon' });
  });

  it('a visitor can read existing rows', async () => {
    await asOwner(
      "insert into market_metrics (market_exposure, created_at) values (61.5, '2026-11-20T21:00:00Z') on conflict do nothing",
    );
    expect(await asAnon('select market_exposure, overall_strength, created_at from market_metrics')).toEqual([
      { market_exposure: 61.5, overall_strength: null, created_at: '2026-11-20T21:00:00.000Z' },
    ]);
  });

  /** An insert of one row into each market table, with an SQL expression as its date. */
  const dated = (at: string): Attempt[] =>
    DATED_ROWS.map((row) => [row, `insert into ${row.replace("'2020-01-02'", at)}`]);

  it('every role is refused a row dated more than an hour after the clock of the database [R23]', async () => {
    await expectEach(dated("now() + interval '62 minutes'"), '23514');
    await expectEach(dated("'infinity'"), '23514', { role: 'service_role' });
    await expectEach(dated("now() + interval '58 minutes'"), 'accepted', { role: 'service_role' });
    const moved = PUBLISHED_TABLE_NAMES.map(
      (table): Attempt => [
        table,
        `with any_row as (select min(id) as id from ${table}) update ${table}
         set created_at = created_at + interval '1000 years' from any_row where ${table}.id = any_row.id`,
      ],
    );
    await ground.database.transaction(async (transaction) => {
      for (const row of DATED_ROWS) await transaction.query(`insert into ${row}`);
    });
    await expectEach(moved, '23514');
    await expectEach(
      PUBLISHED_TABLE_NAMES.map(
        (table): Attempt => [table, `delete from ${table} where created_at = '2020-01-02'`],
      ),
      'accepted',
    );
    for (const table of PUBLISHED_TABLE_NAMES)
      await asOwner(`delete from ${table} where created_at = '2020-01-02'`);
  });

  it('names table, date and clock in the refusal of a row from the future', async () => {
    const error = await asOwner(
      "insert into market_metrics (created_at) values ('2077-05-01T20:00:00Z')",
    ).catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(
      /^A row of market_metrics is dated 2077-05-01T20:00:00Z, later than the clock of the database \(20\d\d-\S+Z\)\. Correct the date, or the clock of the computer that wrote it\.$/,
    );
  });

  it('a visitor never reads a row from the future [R23] [T12]', async () => {
    await writeFutureRows(
      ground.database,
      ...dated("'2999-01-02'").map(([, sql]) => sql),
      ...dated("now() + interval '62 minutes'").map(([, sql]) => sql),
      ...dated("now() + interval '58 minutes'").map(([, sql]) => sql),
    );
    for (const table of PUBLISHED_TABLE_NAMES) {
      const newest = `from ${table} where created_at > now() order by created_at desc limit 3`;
      expect([
        table,
        await asAnon(`select created_at < now() + interval '1 hour' as near ${newest}`),
      ]).toEqual([table, [{ near: true }]]);
      const plan = await run(`explain (format json) select * ${newest}`, { role: 'anon' });
      expect(JSON.stringify(plan)).toMatch(/Index Scan/);
      await asOwner(`delete from ${table} where created_at > now()`);
    }
  });

  it('a visitor reads the components of the last row of each day in New York, rounded', async () => {
    const row = (at: string, momentum: number) =>
      `insert into fear_greed_index (index_value, index_label, market_momentum, created_at)
       values (50, 'Neutral', ${momentum}, '${at}')`;
    await asOwner('delete from fear_greed_index');
    await asOwner(row('2026-11-12T20:30:00Z', 1));
    await asOwner(row('2026-11-12T21:00:00Z', 44.95));
    // Still Thursday in New York.
    await asOwner(row('2026-11-13T03:00:00Z', 61.2345));
    await asOwner(row('2026-11-13T21:00:00Z', 7));
    await writeFutureRows(ground.database, row('2999-01-02T21:00:00Z', 99));
    expect(
      await asAnon(
        'select session::text, market_momentum::text as shown from fear_greed_sessions order by session',
      ),
    ).toEqual([
      { session: '2026-11-12', shown: '61.2' },
      { session: '2026-11-13', shown: '7.0' },
    ]);
    await asOwner('delete from fear_greed_index');
  });

  it('a visitor is refused every other statement', async () => {
    await expectEach(FORBIDDEN, REFUSED, { role: 'anon' });
  });

  it.each([...INTERNAL_SCHEMAS, 'public'])(
    'a visitor has no right on a function, table or sequence of %s but the intended ones [S6.1] [T1]',
    async (schema) => {
      const rights = await asOwner(
        `
      select rolname::text as role, things.name, right_to from pg_roles cross join lateral (
        select proname::text as name, 'execute' as right_to,
               has_function_privilege(pg_roles.oid, pg_proc.oid, 'execute') as may
        from pg_proc where pronamespace = $1::regnamespace
        union all
        select relname::text, kind, has_table_privilege(pg_roles.oid, pg_class.oid, kind)
        from pg_class cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger', 'references']) as kind
        where relnamespace = $1::regnamespace and relkind in ('r', 'v', 'm', 'p')
        union all
        select relname || '.' || attname, kind, has_column_privilege(pg_roles.oid, pg_class.oid, attnum, kind)
          and not has_table_privilege(pg_roles.oid, pg_class.oid, kind)
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
          cross join unnest(array['select', 'insert', 'update', 'references']) as kind
        where relnamespace = $1::regnamespace and relkind in ('r', 'v', 'm', 'p')
        union all
        select relname::text, kind, has_sequence_privilege(pg_roles.oid, pg_class.oid, kind)
        from pg_class cross join unnest(array['usage', 'select', 'update']) as kind
        where relnamespace = $1::regnamespace and relkind = 'S'
      ) as things where rolname in ('anon', 'authenticated') and may`,
        [schema],
      );
      const byName = (one: Row, other: Row) => (String(one.name) < String(other.name) ? -1 : 1);
      expect(rights.sort(byName)).toEqual(schema === 'public' ? INTENDED.toSorted(byName) : []);
    },
  );

  it.each(['mailer', 'operations', 'archive'])(
    'no function of %s uses temporary types or tables of the session',
    async (schema) => {
      const functions = await asOwner(
        'select proname::text as name, proconfig::text as setting from pg_proc where pronamespace = $1::regnamespace',
        [schema],
      );
      expect(functions).not.toEqual([]);
      // Postgres searches pg_temp first unless the path names it last.
      const last = functions.filter(({ setting }) => setting === '{"search_path=pg_catalog, pg_temp"}');
      expect(last).toEqual(functions);
    },
  );

  it('subscriptions are counted per hour of UTC, in every time zone of a session', async () => {
    const hours = await ground.database.transaction(async (transaction) => {
      await transaction.query("set local timezone = 'Asia/Kolkata'");
      return transaction.query(
        "select mailer.this_hour() as hour, date_trunc('hour', now() at time zone 'UTC') at time zone 'UTC' as expected",
      );
    });
    expect(hours[0]?.hour).toBeTruthy();
    expect(hours[0]?.hour).toEqual(hours[0]?.expected);
  });

  it('a visitor cannot use the internal schemas', async () => {
    const rights = await asOwner(
      `select nspname::text as schema, has_schema_privilege('anon', oid, 'usage') as may from pg_namespace
       where nspname in (${INTERNAL_SCHEMAS.map((name) => `'${name}'`).join(', ')}) order by 1`,
    );
    expect(rights).toEqual([...INTERNAL_SCHEMAS].sort().map((schema) => ({ schema, may: false })));
  });

  it('each table has an index for its newest rows', async () => {
    const indexed = await asOwner(
      "select distinct tablename::text as name from pg_indexes where indexdef ~ '\\(created_at DESC\\)$'",
    );
    expect(indexed.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...PUBLISHED_TABLE_NAMES, 'email_subscribers']),
    );
  });

  it('a visitor cannot subscribe an active address again, but one who has left can [S3.8] [R10] [R11]', async () => {
    await deleteSubscribers();
    await subscribe('Ann@Example.com');
    for (const same of ['Ann@Example.com', 'ann@example.com', ' ANN@example.COM ']) {
      expect(await codeOf(subscribe(same))).toBe('23505');
    }
    await asOwner('update email_subscribers set is_active = false');
    expect(await codeOf(subscribe('ann@example.com'))).toBe('accepted');
    expect(await codeOf(subscribe('ann@example.com'))).toBe('23505');
  });

  it('a visitor cannot subscribe one mailbox twice by another spelling [R11] [T16]', async () => {
    await deleteSubscribers();
    for (const [at, email] of SPELLINGS.entries()) {
      expect([email, await codeOf(subscribe(email))]).toEqual([email, at === 0 ? 'accepted' : '23505']);
    }
    expect(await asOwner('select email from email_subscribers')).toEqual([{ email: 'jane@example.org' }]);
    await asOwner('update email_subscribers set is_active = false');
    expect(await codeOf(subscribe('ｊａｎｅ@example．org'))).toBe('accepted');
  });

  it('the error for a duplicate does not show the existing address', async () => {
    await deleteSubscribers();
    await subscribe('ann@example.com');
    const error = await subscribe(' ANN@example.com').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '23505', detail: null });
    expect((error as Error).message).not.toContain('@');
  });

  it('accepts deliverable addresses', () =>
    expectEach(ACCEPTED.map(subscribing), 'accepted', { role: 'anon' }));

  it('a visitor chooses the alerts together with the subscription, off by default', async () => {
    await deleteSubscribers();
    await asAnon(
      "insert into email_subscribers (email, is_active, alerts) values ('a@example.com', true, true)",
    );
    await subscribe('b@example.com');
    expect(await asOwner('select email, alerts from email_subscribers order by email')).toEqual([
      { email: 'a@example.com', alerts: true },
      { email: 'b@example.com', alerts: false },
    ]);
    await deleteSubscribers();
  });

  it('refuses malformed addresses', () => expectEach(MALFORMED.map(subscribing), '23514', { role: 'anon' }));

  it('refuses a missing address', async () => {
    expect(await codeOf(asAnon('insert into email_subscribers (is_active) values (true)'))).toBe('23502');
  });

  it('every role is refused an invalid value', () =>
    expectEach(
      INVALID.map((row): Attempt => [row, `insert into ${row}`]),
      '23514',
    ));

  it('every role is refused a second row with the same created_at and name', () =>
    expectEach(
      DATED_ROWS.map((row): Attempt => [row, `do $$ begin insert into ${row}; insert into ${row}; end $$`]),
      '23505',
    ));

  it('the service role can read subscribers and the tables of the collector', async () => {
    await deleteSubscribers();
    await subscribe('ann@example.com');
    const asOperator = (sql: string) => run(sql, { role: 'service_role' });
    expect(await asOperator('select email from email_subscribers')).toEqual([{ email: 'ann@example.com' }]);
    expect(await asOperator('select * from collector.runs')).toEqual([]);
    await asOperator("update email_subscribers set is_active = false where email = 'ann@example.com'");
  });
});
