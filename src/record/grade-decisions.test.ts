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

  const AT = iso(sessionClose('2026-01-20'));
  const correct = (price: number) =>
    run('update public.market_indices set price = $2 where created_at = $1', [AT, String(price)]);

  /** The grades, such as '2026-01-05 after 1: 1006 to 1011, graded, replaces 1'. */
  const grades = async () => {
    const rows = await run(
      `select week, horizon_weeks as weeks, entry_close as entry, exit_close as exit, status, replaces
       from public.signal_grades order by id`,
    );
    return rows.map(({ week, weeks, entry, exit, status, replaces }) => {
      const closes = status === 'void' ? '' : ` ${entry} to ${exit},`;
      return `${week} after ${weeks}:${closes} ${status}${replaces === null ? '' : `, replaces ${replaces}`}`;
    });
  };
  const gradeAtOnce = async () => {
    const added = await Promise.all(Array.from({ length: 5 }, () => gradeDecisions(database, NOW)));
    return added.reduce((sum, count) => sum + count, 0);
  };

  it('adds the grades of ended windows from closes only', async () => {
    await decide(6);
    await publish('2026-02-09');
    expect(await gradeDecisions(database, NOW)).toBe(5);
    expect(await grades()).toEqual([
      '2026-01-05 after 1: 1006 to 1011, graded',
      '2026-01-05 after 4: 1006 to 1025, graded',
      '2026-01-12 after 1: 1011 to 1015, graded',
      '2026-01-19 after 1: 1015 to 1020, graded',
      '2026-01-26 after 1: 1020 to 1025, graded',
    ]);
  });

  it('adds no grade the second time, even after the clock was set back a day', async () => {
    await decide(4);
    await publish('2026-02-09');
    await gradeDecisions(database, NOW);
    const before = await grades();
    for (const now of [NOW, NOW - 86_400_000]) expect(await gradeDecisions(database, now)).toBe(0);
    expect(await grades()).toEqual(before);
  });

  it('adds each grade once if several processes grade at once', async () => {
    await decide(6);
    await publish('2026-02-09');
    expect(await gradeAtOnce()).toBe(5);
    await correct(990);
    expect(await gradeAtOnce()).toBe(2);
    expect(await grades()).toHaveLength(7);
  });

  it('replaces the grades of a corrected close and keeps both', async () => {
    await decide(3);
    await publish('2026-01-28');
    await gradeDecisions(database, NOW);
    for (const price of [1100, 1011]) {
      await correct(price);
      expect(await gradeDecisions(database, NOW)).toBe(2);
    }
    expect((await grades()).filter((text) => text.startsWith('2026-01-05'))).toEqual([
      '2026-01-05 after 1: 1006 to 1011, graded',
      '2026-01-05 after 1: 1006 to 1100, graded, replaces 1',
      '2026-01-05 after 1: 1006 to 1011, graded, replaces 3',
    ]);
  });

  it('replaces a void grade once its close has arrived', async () => {
    await decide(1);
    await publish('2026-02-06');
    await run('delete from public.market_indices where created_at = $1', [AT]);
    await gradeDecisions(database, NOW);
    expect(await grades()).toEqual(['2026-01-05 after 1: void']);
    await run(
      `insert into public.market_indices (symbol, name, price, source, created_at) values ('SPX', 'S&P 500', 1011, 'live', $1)`,
      [AT],
    );
    await gradeDecisions(database, NOW);
    const replaced = '2026-01-05 after 1: 1006 to 1011, graded, replaces 1';
    expect(await grades()).toEqual(['2026-01-05 after 1: void', replaced]);
  });

  it('keeps the grades of a demonstration that another source has replaced', async () => {
    await decide(3, 'simulated');
    await publish('2026-01-22', 'simulated');
    await gradeDecisions(database, NOW);
    await run('delete from public.market_indices');
    await publish('2026-02-20', 'live');
    await gradeDecisions(database, NOW);
    expect(await grades()).toEqual([
      '2026-01-05 after 1: 1006 to 1011, graded',
      '2026-01-05 after 4: void',
      '2026-01-12 after 1: void',
      '2026-01-12 after 4: void',
      '2026-01-19 after 1: void',
    ]);
  });

  it('adds no grade without decisions or without rows', async () => {
    expect(await gradeDecisions(database, NOW)).toBe(0);
    await decide(3);
    expect(await gradeDecisions(database, NOW)).toBe(0);
  });
});
