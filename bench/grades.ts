import { join } from 'node:path';
import type { Database } from '#database/port.ts';
import { isSession, sessionClose } from '#domain/calendar/sessions.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { exportGrades } from '#tests/support/export-grades.ts';
import { gradeAgain } from '#tests/support/second-grader.ts';
import type { Figure } from './figure.ts';
import { overNewDatabase } from './new-database.ts';
import { readTable } from './real-history.ts';

/** The first Monday, and the number of weeks from that day on. */
const FIRST = '2006-01-02';
const WEEKS = 1_070;

/** Grades twenty years of real closes, and compares each grade with a second implementation of the rule. */
export function benchGrades(data: string): Promise<Figure[]> {
  return overNewDatabase((database) => measure(database, data));
}

async function fill(database: Database, data: string): Promise<void> {
  const closes = readTable(join(data, 'series', 'sp500.csv')).get('close') ?? new Map<string, number>();
  const rows = [...closes]
    .filter(([session]) => session >= FIRST && isSession(session))
    .map(([session, price]) => ({ price, created_at: new Date(sessionClose(session)).toISOString() }));
  await database.transaction(async (transaction) => {
    await transaction.query(
      `insert into public.market_indices (symbol, name, price, source, created_at)
       select 'SPX', 'S&P 500', price, 'csv', created_at
       from json_to_recordset($1::json) as row (price double precision, created_at timestamptz)`,
      [JSON.stringify(rows)],
    );
    // The decisions are at 9:00 in New York on Saturdays, in winter and in summer.
    await transaction.query(
      `insert into mailer.issued_signals (week, status, reason, decided_at, source, formula_version, weights, inputs)
       select monday, 'withheld', 'Graded in a benchmark.',
         (monday + interval '5 days 9 hours') at time zone 'America/New_York', 'csv', '2', '{}', '{}'
       from generate_series($1::timestamp, $1::timestamp + $2::int * interval '7 days', '7 days') as monday`,
      [FIRST, WEEKS - 1],
    );
  });
}

async function measure(database: Database, data: string): Promise<Figure[]> {
  await fill(database, data);
  const timed = async () => {
    const startedAt = performance.now();
    const added = await gradeDecisions(database, Date.now());
    return { added, ms: performance.now() - startedAt };
  };
  const [first, second] = [await timed(), await timed()];
  const { compared, largestDifference, onlyOne } = gradeAgain(await exportGrades(database));
  return [
    { what: 'weeks with real closes', value: WEEKS, unit: '' },
    { what: 'grading them all', value: first.ms, unit: 'ms' },
    { what: 'grading again', value: second.ms, unit: 'ms' },
    { what: 'grades that the second run added', value: second.added, unit: '', bound: { exactly: 0 } },
    { what: 'grades compared with the second implementation', value: compared, unit: '' },
    { what: 'grades that only one of the two has', value: onlyOne.length, unit: '', bound: { exactly: 0 } },
    { what: 'largest difference', value: largestDifference, unit: 'points', bound: { atMost: 1e-9 } },
  ];
}
