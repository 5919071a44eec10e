import { beforeEach, describe, expect, it } from 'vitest';
import { recordPublications } from '#collector/publish/publications.ts';
import { writeQualityEvents } from '#collector/publish/quality-events.ts';
import { DatabaseError } from '#database/port.ts';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import type { Decision } from '#mailer/decide/decide-week.ts';
import { recordDecision } from '#mailer/decide/stored-decisions.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { readQuality } from '#record/quality.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { mailSettings } from '#tests/support/deliveries.ts';
import { acceptAnyTime, withFutureRows, writeFutureRows } from '#tests/support/future-rows.ts';

/** Sat 21 Nov 2026, 9:00 in New York. */
const NOW = Date.parse('2026-11-21T14:00:00Z');
const AHEAD = Date.parse('2999-01-12T14:00:00Z');
const INPUTS = {} as Decision['inputs'];
const iso = (instant: number) => new Date(instant).toISOString();

describe('a wrong clock', () => {
  const { database, run, script } = databaseOfEachTest();
  beforeEach(async () => {
    const closes = sessionsBetween('2026-11-02', '2026-11-20').map((session) => iso(sessionClose(session)));
    await run(
      `insert into public.market_indices (symbol, name, price, source, created_at)
       select 'SPX', 'S&P 500', 6000, 'live', at::timestamptz from json_array_elements_text($1::json) as at`,
      [JSON.stringify(closes)],
    );
    await run(
      `insert into collector.runs (job, source, period, is_scheduled, status, started_at)
       values ('collect', 'live', '2026-11-20T15:00:00Z', true, 'succeeded', '2026-11-20T15:00:00Z')`,
    );
    await decide('2026-11-02', Date.parse('2026-11-07T14:00:00Z'));
  });

  const decide = (week: string, now: number) =>
    recordDecision(database, {
      ...{ week, frame: mailSettings(), now },
      decision: {
        ...{ status: 'withheld', reason: 'It is stale.', nextStep: null },
        ...{ session: null, source: 'live', inputs: INPUTS },
      },
    });

  /** Everything that a run of the collector and the jobs after it add to the record at `now`. */
  const steps: Record<string, (now: number) => Promise<unknown>> = {
    'archive.publications': (now) =>
      database.transaction((transaction) =>
        recordPublications(transaction, [sessionClose('2026-11-20')], { source: 'live', now }),
      ),
    'public.quality_events': (now) =>
      database.transaction((transaction) =>
        writeQualityEvents(transaction, { now, batches: [], corrections: [], refusals: [], calls: [] }),
      ),
    'mailer.issued_signals': (now) => decide(now === NOW ? '2026-11-16' : '2999-01-07', now),
    'mailer.grades': (now) => gradeDecisions(database, now),
  };
  const isRefused = (error: unknown) => error instanceof DatabaseError && error.code === '23514';
  const count = async (table: string) =>
    Number((await run(`select count(*) as count from ${table}`))[0]?.count);
  const quality = () => database.transaction((transaction) => readQuality(transaction, NOW));

  it('adds nothing while it is ahead, and everything after it was corrected [R23]', async () => {
    for (const [table, add] of Object.entries(steps)) {
      const before = await count(table);
      expect([table, await add(AHEAD).then(() => false, isRefused)]).toEqual([table, true]);
      expect([table, await count(table)]).toEqual([table, before]);
    }
    for (const [table, add] of Object.entries(steps)) {
      const before = await count(table);
      await add(NOW);
      expect([table, (await count(table)) > before]).toEqual([table, true]);
    }
  });

  it('leaves nothing that is shown if it was the clock of the database too [R23]', async () => {
    const shown = async () => ({
      quality: await quality(),
      grades: await run('select graded_at from public.signal_grades'),
      weeks: await run('select week from public.issued_signals order by week'),
    });
    const before = await shown();
    const [off = '', on = ''] = withFutureRows('SPLIT').split('SPLIT');
    await script(off);
    for (const add of Object.values(steps)) await add(AHEAD);
    await run(
      `insert into collector.runs (job, source, period, is_scheduled, status, started_at)
       values ('collect', 'live', '2999-01-11T15:00:00Z', true, 'succeeded', '2999-01-11T15:00:00Z')`,
    );
    await script(on);
    expect(await shown()).toEqual(before);

    for (const [table, add] of Object.entries(steps)) {
      const rows = await count(table);
      await add(NOW);
      expect([table, (await count(table)) > rows]).toEqual([table, true]);
    }
    const after = await shown();
    expect(after.grades).toEqual([{ graded_at: iso(NOW) }]);
    expect(after.weeks).toEqual([{ week: '2026-11-02' }, { week: '2026-11-16' }]);
    expect(after.quality.events.map(({ at, kind }) => [at, kind])).toEqual([[NOW, 'missed run']]);
  });

  it.each([
    [
      'a published row',
      `insert into public.market_metrics (source, created_at) values ('live', '2999-01-11T21:00:00Z')`,
    ],
    [
      'the newest entry of the ledger',
      `insert into archive.ledger_entries (index, kind, row_id, entry, created_at)
       select count(*), 'event', 1, '{}', '2999-01-11T21:00:00Z' from archive.ledger_entries`,
    ],
  ])('grades no week while %s is later than the clock [R23]', async (_, statement) => {
    await writeFutureRows(database, statement);
    await expect(gradeDecisions(database, NOW)).rejects.toThrow(
      'The newest rows are dated 2999-01-11T21:00:00.000Z, later than the clock (',
    );
    expect(await count('mailer.grades')).toBe(0);
    const corrected = Date.parse('2999-01-11T20:30:00Z');
    await acceptAnyTime(database);
    expect(await gradeDecisions(database, corrected)).toBeGreaterThan(0);
  });

  it('grades no week while a published row is at infinity', async () => {
    await writeFutureRows(
      database,
      `insert into public.market_metrics (source, created_at) values ('live', 'infinity')`,
    );
    await expect(gradeDecisions(database, NOW)).rejects.toThrow('The newest rows are dated infinity, later');
  });

  it('grades weeks beside a row of the future that another program wrote', async () => {
    await writeFutureRows(
      database,
      `insert into public.market_metrics (created_at) values ('2999-01-11T21:00:00Z')`,
    );
    expect(await gradeDecisions(database, NOW)).toBeGreaterThan(0);
  });
});
