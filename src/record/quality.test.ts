import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { countOpenGaps, damagedPublications, readQuality } from './quality.ts';

const NOW = Date.parse('2026-11-14T12:00:00Z');

const { database, run, script } = databaseOfTheseTests();

/** Changes a table after turning off its protection against changes. Only the owner of the table can do that. */
const tamper = (table: string, change: string) =>
  script(
    `alter table ${table} disable trigger user; update ${table} set ${change}; alter table ${table} enable trigger user`,
  );
const damaged = (since: string | null = null) =>
  database.transaction((transaction) => damagedPublications(transaction, since));

it('the hashes of the record match unchanged records only', async () => {
  await run(
    `insert into archive.publications (created_at_batch, session, kind, published_at, origin, rows, sha256)
     values ('2026-11-13T21:00:00Z', '2026-11-13', 'final', now(), 'live', '{"a": 1}', sha256('{"a": 1}'))`,
  );
  expect(await damaged()).toEqual([]);
  await tamper('archive.publications', `rows = '{"a": 2}'`);
  expect(await damaged()).toEqual([{ id: 1, session: '2026-11-13' }]);
  expect(await damaged('2026-11-14')).toEqual([]);
});

describe('the quality of the newest sessions', () => {
  it('has the events of 90 sessions, newest first', async () => {
    const quality = await database.transaction(async (transaction) => {
      await transaction.query(
        `insert into public.quality_events (at, session, kind, event_key) values
           ('2026-01-02T21:00:00Z', '2026-01-02', 'late', 'old'),
           ('2026-11-12T21:00:00Z', '2026-11-12', 'late', 'first'),
           ('2026-11-13T21:00:00Z', '2026-11-13', 'missing', 'second')`,
      );
      return readQuality(transaction, NOW);
    });
    expect(quality.sessions).toHaveLength(90);
    expect(quality.sessions.at(-1)).toBe('2026-11-13');
    expect(quality.events.map(({ kind, at }) => [kind, new Date(at).toISOString()])).toEqual([
      ['missing', '2026-11-13T21:00:00.000Z'],
      ['late', '2026-11-12T21:00:00.000Z'],
    ]);
    expect(quality.damaged).toHaveLength(1);
    // The test above published the newest session on its day.
    expect(quality.unchecked).toEqual(quality.sessions.slice(0, -1));
    const atClose = await database.transaction((transaction) =>
      readQuality(transaction, Date.parse('2026-11-13T21:30:00Z')),
    );
    expect(atClose.unchecked).toEqual(atClose.sessions);
  });

  it('counts inputs without their value until it arrives', async () => {
    const insert = (kind: string, session: string) =>
      `insert into public.quality_events (at, session, kind, input, event_key)
       values ('2026-11-13T21:00:00Z', '${session}', '${kind}', 'vix_close', '${kind} ${session} vix_close')`;
    const counts = await database.transaction(async (transaction) => {
      const before = await countOpenGaps(transaction, NOW);
      for (const event of [
        insert('late', '2026-11-10'),
        insert('late', '2026-01-05'),
        insert('corrected', '2026-11-10'),
      ])
        await transaction.query(event);
      const late = await countOpenGaps(transaction, NOW);
      await transaction.query(insert('completed', '2026-11-10'));
      return [late.open - before.open, (await countOpenGaps(transaction, NOW)).open - before.open];
    });
    expect(counts).toEqual([1, 0]);
  });

  it('counts the sessions in which it looked for gaps, and looks for none in files', async () => {
    const gaps = await database.transaction(async (transaction) => {
      expect(await countOpenGaps(transaction, NOW)).toMatchObject({ checked: 1, sessions: 90 });
      await transaction.query(
        `insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, rows, sha256)
         select '2026-11-12T21:00:00Z', '2026-11-12', 'final', now(), source, 'live', '{}', sha256('{}')
         from unnest(array['simulated', 'csv']) as source`,
      );
      return countOpenGaps(transaction, NOW);
    });
    expect(gaps).toMatchObject({ checked: 1, sessions: 90 });
  });

  it('counts an open gap however many other events follow it', async () => {
    const [before, after] = await database.transaction(async (transaction) => {
      const { open } = await countOpenGaps(transaction, NOW);
      await transaction.query('set local session_replication_role = replica');
      await transaction.query(
        `insert into public.quality_events (at, session, kind, input, event_key)
         select '2026-11-13T21:00:00Z', '2026-11-11', case number when 0 then 'missing' else 'corrected' end, 'vix_close',
           'many ' || number from generate_series(0, 10000) as number order by number`,
      );
      return [open, (await countOpenGaps(transaction, NOW)).open];
    });
    expect(after).toBe(before + 1);
  });
});
