import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import { runRead } from '#queries/read-statement.ts';
import { MARKET_TABLES, ORIGINS_TABLE } from '#schema/tables.ts';
import { readTables, type Tables } from '#server/rest/exposed-tables.ts';
import { READ_OPTIONS } from '#server/rest/read.ts';
import { noise } from '#tests/support/bars.ts';
import { backfill } from '#tests/support/collect.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { marketOverTime } from '#tests/support/runs-over-time.ts';
import { servingProcess } from '#tests/support/serving-process.ts';
import { smallSource } from '#tests/support/small-source.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const INSTANTS = 200;
const FIRST = '2024-10-01';
const FROM = Date.parse('2024-11-25T20:00:00Z');
const TO = Date.parse('2024-12-06T12:00:00Z');
const TABLES = [...MARKET_TABLES, ORIGINS_TABLE];

type Rows = Readonly<Record<string, unknown>>[];
type Shown = Readonly<Record<string, Rows>>;

const isClosing = ({ created_at }: Readonly<Record<string, unknown>>) => {
  const at = Date.parse(String(created_at));
  return at === sessionClose(marketDay(at));
};

/** The closing rows that the table API serves now, by table, without their ids. */
async function served(database: Database, tables: Tables): Promise<Shown> {
  const shown: Record<string, Rows> = {};
  for (const name of TABLES) {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`no table ${name}`);
    const rows: Rows = [];
    for (let offset = 0; offset === rows.length; offset += 1000) {
      const columns = [...table.columns.keys()].join();
      const read = { table: name, columns, order: ['created_at.asc', 'id.asc'], limit: 1000, offset };
      const { body } = await database.transaction((open) => runRead(open, read), READ_OPTIONS);
      rows.push(...(JSON.parse(body) as Rows));
    }
    shown[name] = rows.filter(isClosing).map(({ id: _, ...row }) => row);
  }
  return shown;
}

/** The rows of the tables, rebuilt from the journal as of an instant. */
async function rebuilt(database: Database, at: number): Promise<Shown> {
  const records = await queryOnce<{ at: number; source: string; rows: Shown }>(
    database,
    `select extract(epoch from created_at_batch) * 1000 as at, source, rows from (
         select distinct on (created_at_batch) created_at_batch, source, rows from archive.publications
         where published_at <= $1 order by created_at_batch, id desc
       ) as newest order by created_at_batch`,
    [new Date(at).toISOString()],
  );
  const rowsOf = (name: string) =>
    records.flatMap(({ at, source, rows }) => {
      const created_at = `${new Date(at).toISOString().slice(0, 19)}+00:00`;
      return (rows[name] ?? []).map((row) => ({ ...row, source, created_at }));
    });
  return Object.fromEntries(TABLES.map((name) => [name, rowsOf(name)]));
}

describe('the publication journal of removed row sets', () => {
  const { database } = databaseOfTheseTests();
  it('equals the tables after a real market has replaced a demonstration', async () => {
    const now = () => Date.parse('2024-01-12T23:00:00Z');
    await backfill({ database, now, source: createSimulatedSource({ seed: 'test', years: 0 }) });
    await writeFutureRows(
      database,
      "insert into market_metrics (market_exposure, source, created_at) values (50, 'simulated', 'infinity')",
      "insert into market_metrics (market_exposure, source, created_at) values (50, 'simulated', '294000-01-01')",
    );
    await backfill({ database, now, source: smallSource('live') });
    const shown = await served(database, await readTables(database));
    expect(new Set(shown.market_metrics?.map(({ source }) => source))).toEqual(new Set(['live']));
    expect(await rebuilt(database, now())).toEqual(shown);
  });
});

describe('the publication journal', () => {
  const { database, run } = databaseOfTheseTests();

  it('equals the tables that the API served at 200 random instants, corrections included', async () => {
    const tables = await readTables(database);
    const random = noise(20_261_123);
    const time = { now: FROM };
    const now = () => time.now;
    const failing = (at: number) => {
      const hour = Math.floor(at / HOUR);
      return hour % 10 === 5 ? (PROVIDER_NAMES[Math.floor(hour / 10) % PROVIDER_NAMES.length] ?? null) : null;
    };
    // A price of each session is wrong until noon in New York of the next day.
    const wrongUntil = (session: string) => sessionClose(session) + 20 * HOUR;
    const source = marketOverTime({ members: fakeMembers(6), first: FIRST, now, failing, wrongUntil });
    const server = servingProcess(database, source, { now });
    const seen: { at: number; shown: Shown }[] = [];
    while (time.now < TO || seen.length < INSTANTS) {
      await server.tick();
      // Picks random, distinct times between two runs.
      if (seen.length < INSTANTS && random() < 0.2)
        seen.push({ at: time.now, shown: await served(database, tables) });
      time.now += 10 * MINUTE;
    }
    expect(server.lines.filter(({ event }) => event === 'job failed')).toEqual([]);
    for (const { at, shown } of seen) {
      expect({ at, shown: await rebuilt(database, at) }).toEqual({ at, shown });
    }
    const [{ corrected } = { corrected: 0 }] = await run<{ corrected: number }>(
      "select count(*) as corrected from quality_events where kind = 'corrected'",
    );
    expect(corrected).toBeGreaterThan(3);
  });

  it('marks rows of a session without visitors as rebuilt', async () => {
    const origins = await run<{ session: string; origin: string; kinds: string }>(
      `select session, origin, string_agg(distinct kind, ' ' order by kind) as kinds from archive.publications
         where session >= '2024-11-20' group by session, origin order by session`,
    );
    expect(origins.slice(0, 6)).toEqual([
      { session: '2024-11-20', origin: 'rebuilt', kinds: 'final' },
      { session: '2024-11-21', origin: 'rebuilt', kinds: 'final' },
      // The first start was on the Saturday after it.
      { session: '2024-11-22', origin: 'rebuilt', kinds: 'final' },
      { session: '2024-11-25', origin: 'live', kinds: 'close final' },
      { session: '2024-11-26', origin: 'live', kinds: 'close final' },
      { session: '2024-11-27', origin: 'live', kinds: 'close final' },
    ]);
  });

  it('has the SHA-256 of each record', async () => {
    const records = await run<{ id: number; text: string; hash: string }>(
      "select id, rows::text as text, encode(sha256, 'hex') as hash from archive.publications",
    );
    const wrong = records.filter(
      ({ text, hash }) => createHash('sha256').update(text).digest('hex') !== hash,
    );
    expect(records.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
