import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, DatabaseError, type Parameter, type TransactionOptions } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { MARKET_TABLES, ORIGINS_TABLE } from '#schema/tables.ts';
import { SPELLINGS, WITHOUT_A_FORM } from '#tests/support/addresses.ts';
import { embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { addressFor, pushMigrations, startHostedDatabase } from '#tests/support/hosted-project.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';

interface Setting {
  name: string;
  isThere: () => boolean;
  start: () => Promise<{ database: Database; stop: () => Promise<void> }>;
}

/** Real Postgres, prepared as `prepare` does it, which answers the address of the migrating user. */
const onPostgres = (prepare: (server: Postgres) => Promise<string>): Pick<Setting, 'isThere' | 'start'> => ({
  isThere: hasPostgres,
  start: async () => {
    const server = await startPostgres();
    const database = await openPostgres({ url: await prepare(server), migrationsFolder: MIGRATIONS });
    return {
      database,
      stop: async () => {
        await database.close();
        await server.stop();
      },
    };
  },
});

/** A hosted project that the Supabase command line brought up to the migrations. */
const hosted = (project: { grantsByDefault: boolean }): Pick<Setting, 'isThere' | 'start'> => ({
  isThere: hasPostgres,
  start: async () => {
    const server = await startHostedDatabase(project);
    await pushMigrations(server.url);
    const database = await openPostgres({ url: addressFor(server.url, 'postgres') });
    return {
      database,
      stop: async () => {
        await database.close();
        await server.stop();
      },
    };
  },
});

const SETTINGS: Setting[] = [
  {
    name: 'the embedded database',
    isThere: () => true,
    start: async () => {
      const { database, remove } = await embeddedForTest();
      return { database, stop: remove };
    },
  },
  { name: 'Postgres, migrated by its superuser', ...onPostgres(async ({ url }) => url) },
  {
    name: 'Postgres, migrated by an owner who may make roles',
    ...onPostgres(async (server) => {
      await server.run('create role keeper login createrole');
      return server.createDatabase('market', 'keeper');
    }),
  },
  {
    name: 'a hosted project, pushed to, which grants everything new to everybody',
    ...hosted({ grantsByDefault: true }),
  },
  {
    name: 'a hosted project, pushed to, which grants nothing new to anybody',
    ...hosted({ grantsByDefault: false }),
  },
];

/** A statement, by a name that says what it is. */
type Attempt = readonly [what: string, sql: string, parameters?: readonly Parameter[]];

const REFUSED = '42501';

const SUBSCRIBE = 'insert into email_subscribers (email, is_active) values ($1, true)';
const subscribing = (email: string): Attempt => [JSON.stringify(email), SUBSCRIBE, [email]];

/** Whose tables and functions are the product's own. */
const INTERNAL_SCHEMAS = ['collector', 'operations', 'mailer'];

/** What anybody reads and nobody from outside changes. */
const READ_TABLES = [...MARKET_TABLES, ORIGINS_TABLE] as const;

/** What is refused to a visitor for want of the right to it. */
const FORBIDDEN: Attempt[] = [
  ['reading subscribers', 'select email from email_subscribers'],
  ['counting subscribers', 'select count(*) from email_subscribers'],
  ['looking an address up', "select 1 from email_subscribers where email = 'a@example.com'"],
  [
    'reading back what was inserted',
    "insert into email_subscribers (email) values ('b@example.com') returning id",
  ],
  ['updating subscribers', 'update email_subscribers set is_active = false'],
  ['deleting subscribers', 'delete from email_subscribers'],
  ['emptying subscribers', 'truncate email_subscribers'],
  [
    'inserting an inactive subscriber',
    "insert into email_subscribers (email, is_active) values ('b@example.com', false)",
  ],
  [
    'choosing the id',
    "insert into email_subscribers (id, email) overriding system value values (1, 'b@example.com')",
  ],
  [
    'choosing the date',
    "insert into email_subscribers (email, created_at) values ('b@example.com', '2000-01-01')",
  ],
  ['taking the next number', "select nextval('email_subscribers_id_seq')"],
  ['turning numbers back', "select setval('email_subscribers_id_seq', 1)"],
  ['changing the policies', 'drop policy "anybody subscribes" on email_subscribers'],
  ['putting the policies aside', 'alter table email_subscribers disable row level security'],
  ['giving itself rights', 'grant select on email_subscribers to anon'],
  ['making a table', 'create table public.mine (id int)'],
  ['making a role', 'create role another superuser'],
  ["reading the collector's bars", 'select * from collector.bars'],
  ["reading the collector's runs", 'select * from collector.runs'],
  ["writing the collector's series", "insert into collector.series values ('vix', '2026-11-20', 1)"],
  ['reading corrections of the past', 'select * from collector.corrections'],
  ['reading who is at a job', 'select * from operations.leases'],
  ['taking a job', "insert into operations.leases values ('collector', 'me', now())"],
  ['reading the runs of jobs', 'select * from operations.job_runs'],
  ['reading the version of the data', 'select * from operations.data_version'],
  ['reading the public key where it is kept', 'select * from operations.public_key'],
  ['changing the public key', "update operations.public_key set key = 'sb_publishable_' || repeat('x', 32)"],
  ['changing the version of the data', 'update operations.data_version set version = version + 1'],
  ['noting a change that was none', 'insert into operations.data_changes default values'],
  ['calling what notes a change', 'select operations.note_data_change()'],
  ['calling what counts a change', 'select operations.count_data_change()'],
  [
    'choosing how links name it',
    "insert into email_subscribers (email, reference) values ('b@example.com', default)",
  ],
  [
    'confirming itself',
    "insert into email_subscribers (email, confirmed_at) values ('b@example.com', now())",
  ],
  [
    'saying why it left',
    "insert into email_subscribers (email, deactivated_because) values ('b@example.com', 'left')",
  ],
  ['reading the key that signs links', 'select signing_key from mailer.settings'],
  ['saying that nobody is asked to confirm', 'update mailer.settings set asks_to_confirm = false'],
  ['reading what was issued', 'select * from mailer.issued_signals'],
  [
    'issuing a signal',
    "insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs) values ('2026-11-16', 'withheld', 'x', now(), 'x', '{}', '{}')",
  ],
  ['reading who got which mail', 'select * from mailer.deliveries'],
  [
    'having a mail sent',
    'insert into mailer.deliveries (subscriber_id, due_at, give_up_at) values (1, now(), now())',
  ],
  ['reading how many it added', 'select * from mailer.subscription_counts'],
  ['starting its count anew', 'delete from mailer.subscription_counts'],
  ['asking whose network it is', 'select mailer.client_network()'],
  ['taking the next number of a mail', "select nextval('mailer.deliveries_id_seq')"],
  ['taking the next number of an origin', "select nextval('input_origins_id_seq')"],
  ['reading the migrations', 'select * from supabase_migrations.schema_migrations'],
  ['reading files of the server', "select pg_read_file('PG_VERSION')"],
  ['running programs of the server', "copy (select 1) to program 'true'"],
  ...READ_TABLES.flatMap((table): Attempt[] => [
    [`inserting into ${table}`, `insert into ${table} default values`],
    [`updating ${table}`, `update ${table} set created_at = now()`],
    [`deleting from ${table}`, `delete from ${table}`],
    [`emptying ${table}`, `truncate ${table}`],
  ]),
];

const TAKEN = [
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

const IMPOSSIBLE = [
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
];

const OF_AN_INSTANT = [
  "market_indices (symbol, name, created_at) values ('SPX', 'S&P 500', '2020-01-02')",
  "market_metrics (created_at) values ('2020-01-02')",
  "fear_greed_index (index_value, index_label, created_at) values (50, 'Neutral', '2020-01-02')",
  "sector_strength (sector, created_at) values ('Energy', '2020-01-02')",
  "advanced_indicators (created_at) values ('2020-01-02')",
  "market_sentiment (timeframe, created_at) values ('short', '2020-01-02')",
  "market_breadth (created_at) values ('2020-01-02')",
  "input_origins (input, created_at) values ('bars', '2020-01-02')",
];

describe.each(SETTINGS)('on $name', ({ isThere, start }) => {
  let database: Database;
  let stop = async () => {};

  beforeAll(async () => {
    if (isThere()) ({ database, stop } = await start());
  });
  afterAll(() => stop());
  beforeEach((context) => {
    if (!isThere()) context.skip('Postgres is not installed on this machine');
  });

  const run = (sql: string, options: TransactionOptions, parameters: Parameter[] = []) =>
    database.transaction((transaction) => transaction.query(sql, parameters), options);
  const asAnon = (sql: string, parameters: Parameter[] = []) => run(sql, { role: 'anon' }, parameters);
  const asOwner = (sql: string, parameters: Parameter[] = []) => run(sql, {}, parameters);
  const forgetSubscribers = () => asOwner('delete from email_subscribers');
  const subscribe = (email: string) => asAnon(SUBSCRIBE, [email]);
  /** The SQLSTATE a promise is refused with; 'taken' when it is not refused. */
  const codeOf = (promise: Promise<unknown>): Promise<string> =>
    promise.then(
      () => 'taken',
      (error: unknown) => {
        if (error instanceof DatabaseError) return error.code;
        throw error;
      },
    );

  /** What each statement comes to, by its name, as if it were the only one. */
  const codesOf = (attempts: readonly Attempt[], options: TransactionOptions = {}) =>
    database.transaction(async (transaction) => {
      const codes: Record<string, string> = {};
      for (const [name, sql, parameters] of attempts) {
        await transaction.query('savepoint before');
        codes[name] = await codeOf(transaction.query(sql, parameters));
        await transaction.query('rollback to savepoint before');
      }
      return codes;
    }, options);
  /** The same where all of them should come to one thing. */
  const expectEach = async (attempts: readonly Attempt[], code: string, options?: TransactionOptions) => {
    const expected = Object.fromEntries(attempts.map(([name]) => [name, code]));
    expect(Object.keys(expected)).toHaveLength(attempts.length);
    expect(await codesOf(attempts, options)).toEqual(expected);
  };

  it('a visitor reads every table of the market [S3.1] [S6.1]', async () => {
    const reads = READ_TABLES.map(
      (table): Attempt => [table, `select * from ${table} order by created_at desc limit 1`],
    );
    await expectEach(reads, 'taken', { role: 'anon' });
  });

  it('a visitor sees the rows that are there', async () => {
    await asOwner(
      "insert into market_metrics (market_exposure, created_at) values (61.5, '2026-11-20T21:00:00Z') on conflict do nothing",
    );
    expect(await asAnon('select market_exposure, overall_strength, created_at from market_metrics')).toEqual([
      { market_exposure: 61.5, overall_strength: null, created_at: '2026-11-20T21:00:00.000Z' },
    ]);
  });

  /** An insert into each table of the market, of a row that is dated by an expression. */
  const dated = (at: string): Attempt[] =>
    OF_AN_INSTANT.map((row) => [row, `insert into ${row.replace("'2020-01-02'", at)}`]);

  it('nobody writes a row that is dated more than an hour later than the clock of the database [R23]', async () => {
    await expectEach(dated("now() + interval '62 minutes'"), '23514');
    await expectEach(dated("'infinity'"), '23514', { role: 'service_role' });
    await expectEach(dated("now() + interval '58 minutes'"), 'taken', { role: 'service_role' });
    const moved = READ_TABLES.map(
      (table): Attempt => [
        table,
        `with any_row as (select min(id) as id from ${table}) update ${table}
         set created_at = created_at + interval '1000 years' from any_row where ${table}.id = any_row.id`,
      ],
    );
    await database.transaction(async (transaction) => {
      for (const row of OF_AN_INSTANT) await transaction.query(`insert into ${row}`);
    });
    await expectEach(moved, '23514');
    await expectEach(
      READ_TABLES.map((table): Attempt => [table, `delete from ${table} where created_at = '2020-01-02'`]),
      'taken',
    );
    for (const table of READ_TABLES) await asOwner(`delete from ${table} where created_at = '2020-01-02'`);
  });

  it('says which row it refuses for its date, and both times', async () => {
    const error = await asOwner(
      "insert into market_metrics (created_at) values ('2077-05-01T20:00:00Z')",
    ).catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(
      /^A row of market_metrics is dated 2077-05-01T20:00:00Z, later than the clock of the database \(20\d\d-\S+Z\)\. Correct the date, or the clock of the computer that wrote it\.$/,
    );
  });

  it('a visitor never sees a row of the future that is there, and finds the newest others by their index [R23] [T12]', async () => {
    await writeFutureRows(
      database,
      ...dated("'2999-01-02'").map(([, sql]) => sql),
      ...dated("now() + interval '62 minutes'").map(([, sql]) => sql),
      ...dated("now() + interval '58 minutes'").map(([, sql]) => sql),
    );
    for (const table of READ_TABLES) {
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

  it('a visitor is refused everything else, in the database as in its server [S6.1] [T1]', async () => {
    await expectEach(FORBIDDEN, REFUSED, { role: 'anon' });
  });

  it.each(INTERNAL_SCHEMAS)(
    'a visitor may call no function and touch no table of %s, named or not',
    async (schema) => {
      const visitors = ['anon', 'authenticated'].map((name) => `'${name}'`).join(', ');
      const rights = await asOwner(
        `
      select rolname::text as role, things.name, right_to from pg_roles cross join lateral (
        select proname::text as name, 'execute' as right_to,
               has_function_privilege(pg_roles.oid, pg_proc.oid, 'execute') as may
        from pg_proc where pronamespace = $1::regnamespace
        union all
        select relname::text, kind, has_table_privilege(pg_roles.oid, pg_class.oid, kind)
        from pg_class cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger', 'references']) as kind
        where relnamespace = $1::regnamespace and relkind = 'r'
        union all
        select relname::text, kind, has_sequence_privilege(pg_roles.oid, pg_class.oid, kind)
        from pg_class cross join unnest(array['usage', 'select', 'update']) as kind
        where relnamespace = $1::regnamespace and relkind = 'S'
      ) as things where rolname in (${visitors}) and may`,
        [schema],
      );
      expect(rights).toEqual([]);
    },
  );

  it.each(['mailer', 'operations'])(
    'no function of %s takes a type or a table that a session made for itself',
    async (schema) => {
      const functions = await asOwner(
        'select proname::text as name, proconfig::text as setting from pg_proc where pronamespace = $1::regnamespace',
        [schema],
      );
      expect(functions).not.toEqual([]);
      // What is temporary is looked through first wherever it is not named last.
      const last = functions.filter(({ setting }) => setting === '{"search_path=pg_catalog, pg_temp"}');
      expect(last).toEqual(functions);
    },
  );

  it('the hour that subscriptions are counted by is of one clock, whatever time zone a request asks for', async () => {
    const hours = await database.transaction(async (transaction) => {
      await transaction.query("set local timezone = 'Asia/Kolkata'");
      return transaction.query(
        "select mailer.this_hour() as hour, date_trunc('hour', now() at time zone 'UTC') at time zone 'UTC' as expected",
      );
    });
    expect(hours[0]?.hour).toBeTruthy();
    expect(hours[0]?.hour).toEqual(hours[0]?.expected);
  });

  it("a visitor has no way into the product's own schemas, whatever is made there later", async () => {
    const ways = await asOwner(
      `select nspname::text as schema, has_schema_privilege('anon', oid, 'usage') as may from pg_namespace
       where nspname in (${INTERNAL_SCHEMAS.map((name) => `'${name}'`).join(', ')}) order by 1`,
    );
    expect(ways).toEqual([...INTERNAL_SCHEMAS].sort().map((schema) => ({ schema, may: false })));
  });

  it('finds the newest rows of each table by an index', async () => {
    const indexed = await asOwner(
      "select distinct tablename::text as name from pg_indexes where indexdef ~ '\\(created_at DESC\\)$'",
    );
    expect(indexed.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...READ_TABLES, 'email_subscribers']),
    );
  });

  it('a visitor subscribes, once as long as the address is active [S3.8] [R11]', async () => {
    await forgetSubscribers();
    await subscribe('Ann@Example.com');
    for (const same of ['Ann@Example.com', 'ann@example.com', ' ANN@example.COM ']) {
      expect(await codeOf(subscribe(same))).toBe('23505');
    }
    await asOwner('update email_subscribers set is_active = false');
    expect(await codeOf(subscribe('ann@example.com'))).toBe('taken');
    expect(await codeOf(subscribe('ann@example.com'))).toBe('23505');
  });

  it('a visitor subscribes one mailbox once, however the address is spelt [R11] [T16]', async () => {
    await forgetSubscribers();
    for (const [at, email] of SPELLINGS.entries()) {
      expect([email, await codeOf(subscribe(email))]).toEqual([email, at === 0 ? 'taken' : '23505']);
    }
    expect(await asOwner('select email from email_subscribers')).toEqual([{ email: 'jane@example.org' }]);
    await asOwner('update email_subscribers set is_active = false');
    expect(await codeOf(subscribe('ｊａｎｅ@example．org'))).toBe('taken');
  });

  it('does not tell a visitor the address that is there already', async () => {
    await forgetSubscribers();
    await subscribe('ann@example.com');
    const error = await subscribe(' ANN@example.com').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '23505', detail: null });
    expect((error as Error).message).not.toContain('@');
  });

  it('takes any address that mail can be sent to', () =>
    expectEach(TAKEN.map(subscribing), 'taken', { role: 'anon' }));

  it('refuses what is no address, or more than one', () =>
    expectEach(MALFORMED.map(subscribing), '23514', { role: 'anon' }));

  it('refuses no address at all', async () => {
    expect(await codeOf(asAnon('insert into email_subscribers (is_active) values (true)'))).toBe('23502');
  });

  it('nobody writes a number that cannot be', () =>
    expectEach(
      IMPOSSIBLE.map((row): Attempt => [row, `insert into ${row}`]),
      '23514',
    ));

  it('nobody says a thing twice of one instant', () =>
    expectEach(
      OF_AN_INSTANT.map(
        (row): Attempt => [row, `do $$ begin insert into ${row}; insert into ${row}; end $$`],
      ),
      '23505',
    ));

  it("the operator's programs read subscribers and the collector's tables", async () => {
    await forgetSubscribers();
    await subscribe('ann@example.com');
    const asOperator = (sql: string) => run(sql, { role: 'service_role' });
    expect(await asOperator('select email from email_subscribers')).toEqual([{ email: 'ann@example.com' }]);
    expect(await asOperator('select * from collector.runs')).toEqual([]);
    await asOperator("update email_subscribers set is_active = false where email = 'ann@example.com'");
  });
});
