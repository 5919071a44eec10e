import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, DatabaseError, type TransactionOptions } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { addressFor, pushMigrations, startHostedDatabase } from '#tests/support/hosted-project.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';

/** The append-only tables of the record, with a row and a change for each. */
const TABLES = [
  {
    table: 'archive.publications',
    row: `(created_at_batch, session, kind, published_at, origin, rows, sha256)
      values ('2026-11-20T21:00:00Z', '2026-11-20', 'close', '2026-11-20T21:30:00Z', 'live', '{}', '\\x00')`,
    change: "kind = 'final'",
  },
  {
    table: 'archive.days',
    row: `(session, kind, published_at, view_version, view, sha256)
      values ('2026-11-20', 'close', '2026-11-20T21:30:00Z', 1, '\\x00', '\\x00')`,
    change: "kind = 'final'",
  },
  {
    table: 'public.quality_events',
    row: "(at, kind, event_key) values ('2026-11-20T21:30:00Z', 'late', 'key')",
    change: "kind = 'missing'",
  },
  {
    table: 'archive.ledger_entries',
    row: "(index, kind, row_id, entry) select count(*), 'day', count(*), '{}' from archive.ledger_entries",
    change: "entry = '[]'",
  },
  {
    table: 'archive.ledger_key',
    row: "(seed) values (sha256('seed')) on conflict do nothing",
    change: "seed = sha256('another')",
  },
];

interface Ground {
  /** The owner of the tables. */
  database: Database;
  /** A superuser, if the owner is none. */
  asSuperuser?: Database;
  stop: () => Promise<unknown>;
}

const GROUNDS: { name: string; isThere: () => boolean; start: () => Promise<Ground> }[] = [
  {
    name: 'the embedded database',
    isThere: () => true,
    start: async () => {
      const { database, remove } = await embeddedForTest();
      return { database, stop: remove };
    },
  },
  {
    name: 'Postgres',
    isThere: hasPostgres,
    start: async () => {
      const server = await startPostgres();
      await server.run('create role keeper login createrole');
      const url = await server.createDatabase('market', 'keeper');
      const database = await openPostgres({ url, migrationsFolder: MIGRATIONS });
      const asSuperuser = await openPostgres({ url: url.replace('keeper@', 'postgres@') });
      const close = () => Promise.all([database.close(), asSuperuser.close()]);
      return { database, asSuperuser, stop: () => close().then(server.stop) };
    },
  },
  {
    name: 'a hosted project',
    isThere: hasPostgres,
    start: async () => {
      const server = await startHostedDatabase();
      await pushMigrations(server.url);
      const database = await openPostgres({ url: addressFor(server.url, 'postgres') });
      const asSuperuser = await openPostgres({ url: server.url });
      const close = () => Promise.all([database.close(), asSuperuser.close()]);
      return { database, asSuperuser, stop: () => close().then(server.stop) };
    },
  },
];

const APPEND_ONLY = '55000';
const NO_RIGHT = '42501';

describe.each(GROUNDS)('on $name', ({ isThere, start }) => {
  let ground: Ground;
  beforeAll(async () => {
    if (!isThere()) return;
    ground = await start();
    for (const { table, row } of TABLES) await run(ground.database, [`insert into ${table} ${row}`]);
  });
  afterAll(() => ground?.stop());
  beforeEach((context) => {
    if (!isThere()) context.skip('Postgres is not installed on this machine');
  });

  const run = (database: Database, statements: string[], options: TransactionOptions = {}) =>
    database.transaction(async (transaction) => {
      for (const sql of statements) await transaction.query(sql);
    }, options);
  const codeOf = async (database: Database, statements: string[], options: TransactionOptions = {}) => {
    const error = await run(database, statements, options).catch((reason: unknown) => reason);
    return error instanceof DatabaseError ? error.code : (error ?? 'accepted');
  };

  describe.each(TABLES)('$table', ({ table, row, change }) => {
    const changes = [
      `update ${table} set ${change}`,
      `delete from ${table}`,
      `truncate ${table}`,
      `truncate ${table} cascade`,
    ];

    it.each(changes)('refuses "%s" by its owner, a superuser and a replica', async (sql) => {
      const { database, asSuperuser = database } = ground;
      expect(await codeOf(database, [sql])).toBe(APPEND_ONLY);
      expect(await codeOf(asSuperuser, [sql])).toBe(APPEND_ONLY);
      expect(await codeOf(asSuperuser, ['set local session_replication_role = replica', sql])).toBe(
        APPEND_ONLY,
      );
    });

    it.each(changes)('gives no other role the right to "%s"', async (sql) => {
      for (const role of ['anon', 'service_role'] as const) {
        expect(await codeOf(ground.database, [sql], { role })).toBe(NO_RIGHT);
      }
    });

    it('lets the operator add a row, but no visitor', async () => {
      const insert = `insert into ${table} ${row.replace("'key'", "'another key'").replace("'close'", "'final'")}`;
      expect(await codeOf(ground.database, [insert], { role: 'anon' })).toBe(NO_RIGHT);
      expect(await codeOf(ground.database, [insert], { role: 'service_role' })).toBe('accepted');
    });
  });
});
