import { describe, expect, it } from 'vitest';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { gradeDecisions } from './grade-decisions.ts';

const NOW = Date.parse('2026-02-28T12:00:00Z');
const iso = (instant: number) => new Date(instant).toISOString();

describe('grading', () => {
  const { database, run } = databaseOfEachTest();

  /** Records `count` withheld weeks from Mon 5 Jan 2026 on, each decided on its Saturday at 9:00 in New York. */
  const decide = (count: number, source = 'live') =>
    run(
      `insert into mailer.issued_signals (week, status, reason, decided_at, source, formula_version, weights, inputs)
       select monday, 'withheld', 'The rows are stale.', monday + interval '5 days 14 hours', $1, '2', '{}', '{}'
       from generate_series(0, $2::int - 1) as week,
         lateral (select '2026-01-05T00:00Z'::timestamptz + week * interval '7 days' as monday) as start`,
      [source, String(count)],
    );

  /** Publishes 1000 as the close of Fri 2 Jan 2026, a point more for each later session up to `last`, and a row for each morning. */
  const publish = (last: string, source = 'live') => {
    const rows = sessionsBetween('2026-01-02', last).flatMap((session, at) => [
      { price: 1000 + at, created_at: iso(sessionClose(session)) },
      { price: 5, created_at: iso(sessionClose(session) - 3_600_000) },
    ]);
    return run(
      `insert into public.market_indices (symbol, name, price, source, created_at)
       select 'SPX', 'S&P 500', price, $2, created_at
       from json_to_recordset($1::json) as row (price double precision, created_at timestamptz)`,
      [JSON.stringify(rows), source],
    );
  };

  const correct = (session: string, price: number) =>
    run('update public.market_indices set price = $2 where created_at = $1', [
      iso(sessionClose(session)),
      String(price),
    ]);

  const grades = () =>
    run(
      `select week, horizon_weeks as weeks, entry_close as entry, exit_close as exit, status, replaces
       from public.signal_grades order by id`,
    );

  it('adds the grades of ended windows from closes only', async () => {
    await decide(6);
    await publish('2026-02-09');
    expect(await gradeDecisions(database, NOW)).toBe(5);
    expect(await grades()).toEqual([
      { week: '2026-01-05', weeks: 1, entry: 1006, exit: 1011, status: 'graded', replaces: null },
      { week: '2026-01-05', weeks: 4, entry: 1006, exit: 1025, status: 'graded', replaces: null },
      { week: '2026-01-12', weeks: 1, entry: 1011, exit: 1015, status: 'graded', replaces: null },
      { week: '2026-01-19', weeks: 1, entry: 1015, exit: 1020, status: 'graded', replaces: null },
      { week: '2026-01-26', weeks: 1, entry: 1020, exit: 1025, status: 'graded', replaces: null },
    ]);
  });

  it('adds no grade the second time, even after the clock was set back a day', async () => {
    await decide(4);
    await publish('2026-02-09');
    await gradeDecisions(database, NOW);
    const before = await grades();
    expect(await gradeDecisions(database, NOW)).toBe(0);
    expect(await gradeDecisions(database, NOW - 86_400_000)).toBe(0);
    expect(await grades()).toEqual(before);
  });

  it('adds each grade once if several processes grade at once', async () => {
    await decide(6);
    await publish('2026-02-09');
    const added = await Promise.all(Array.from({ length: 5 }, () => gradeDecisions(database, NOW)));
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(5);
    await correct('2026-01-12', 990);
    const again = await Promise.all(Array.from({ length: 5 }, () => gradeDecisions(database, NOW)));
    expect(again.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await grades()).toHaveLength(7);
  });

  it('replaces the grades of a corrected close and keeps both', async () => {
    await decide(3);
    await publish('2026-01-28');
    await gradeDecisions(database, NOW);
    await correct('2026-01-20', 1100);
    expect(await gradeDecisions(database, NOW)).toBe(2);
    await correct('2026-01-20', 1011);
    expect(await gradeDecisions(database, NOW)).toBe(2);
    const ofFirstWeek = (await run('select exit_close as exit, id, replaces from mailer.grades order by id'))
      .filter((_, at) => at % 2 === 0)
      .map(({ exit, id, replaces }) => [exit, Number(id), replaces]);
    expect(ofFirstWeek).toEqual([
      [1011, 1, null],
      [1100, 3, 1],
      [1011, 5, 3],
    ]);
  });

  it('replaces a void grade once its close has arrived', async () => {
    await decide(1);
    await publish('2026-02-06');
    await run('delete from public.market_indices where created_at = $1', [iso(sessionClose('2026-01-20'))]);
    await gradeDecisions(database, NOW);
    expect(await grades()).toMatchObject([{ week: '2026-01-05', status: 'void', replaces: null }]);
    await run(
      `insert into public.market_indices (symbol, name, price, source, created_at) values ('SPX', 'S&P 500', 1011, 'live', $1)`,
      [iso(sessionClose('2026-01-20'))],
    );
    await gradeDecisions(database, NOW);
    expect(await grades()).toMatchObject([
      { status: 'void' },
      { status: 'graded', entry: 1006, exit: 1011, replaces: 1 },
    ]);
  });

  it('keeps the grades of a demonstration that another source has replaced', async () => {
    await decide(3, 'simulated');
    await publish('2026-01-22', 'simulated');
    await gradeDecisions(database, NOW);
    await run('delete from public.market_indices');
    await publish('2026-02-20', 'live');
    await gradeDecisions(database, NOW);
    expect(await grades()).toMatchObject([
      { week: '2026-01-05', weeks: 1, status: 'graded', replaces: null },
      { week: '2026-01-05', weeks: 4, status: 'void', replaces: null },
      { week: '2026-01-12', weeks: 1, status: 'void', replaces: null },
      { week: '2026-01-12', weeks: 4, status: 'void', replaces: null },
      { week: '2026-01-19', weeks: 1, status: 'void', replaces: null },
    ]);
  });

  it('adds no grade without decisions or without rows', async () => {
    expect(await gradeDecisions(database, NOW)).toBe(0);
    await decide(3);
    expect(await gradeDecisions(database, NOW)).toBe(0);
  });
});
