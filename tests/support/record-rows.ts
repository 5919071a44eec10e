import { entrySessionOf, gradeWeeks, marketOf } from '#domain/record/grade-weeks.ts';
import type { IssuedSignalRow, RecordRows, SignalGradeRow } from '#schema/record-rows.ts';
import { createDice } from './dice.ts';

const DAY = 86_400_000;
/** The Monday of the first week. */
const FIRST = Date.parse('2020-01-06T00:00:00Z');
const VERDICTS = ['BUY', 'HOLD', 'SELL'] as const;
/** The least score of each verdict in this record; all are within 20 points of it, less a tenth. */
const LEAST_SCORE = { BUY: 61, HOLD: 41, SELL: 20 } as const;

const iso = (instant: number) => new Date(instant).toISOString();
const dayOf = (instant: number) => iso(instant).slice(0, 10);

/** A grade with an exit close that is one percent too low. */
function beforeCorrection(grade: SignalGradeRow): SignalGradeRow {
  const { entry_close, exit_close } = grade;
  if (entry_close === null || exit_close === null) return grade;
  const exit = 0.99 * exit_close;
  return { ...grade, exit_close: exit, change_percent: (exit / entry_close - 1) * 100 };
}

type Week = Partial<Pick<IssuedSignalRow, 'source' | 'formula_version' | 'origin'>>;

/**
 * The record of `count` weeks from Mon 6 Jan 2020 on, decided on Saturdays. Every tenth week is withheld, every 25th close is
 * missing, and every 30th grade was corrected. `weekOf` sets the source and the formula of a week by its number.
 */
export function recordOf(count: number, weekOf: (at: number) => Week = () => ({})): RecordRows {
  const dice = createDice(count);
  const weeks = Array.from({ length: count }, (_, at): IssuedSignalRow => {
    const monday = FIRST + 7 * at * DAY;
    const isWithheld = at % 10 === 9;
    const verdict = isWithheld ? null : dice.pick(VERDICTS);
    return {
      week: dayOf(monday),
      status: isWithheld ? 'withheld' : 'issued',
      reason: isWithheld ? 'The newest numbers are of Thu, but the session of Fri has closed since.' : null,
      decided_at: iso(monday + 5 * DAY + 14 * 3_600_000),
      session: dayOf(monday + (isWithheld ? 3 : 4) * DAY),
      source: 'live',
      verdict,
      score: verdict && LEAST_SCORE[verdict] + Math.floor(dice.below(600) / 3) / 10,
      range_low: null,
      range_high: null,
      sp500_close: isWithheld ? null : 3000,
      formula_version: '2',
      origin: 'live',
      ...weekOf(at),
    };
  });
  const decided = weeks.map(({ week, decided_at, source }) => ({
    week,
    decidedAt: Date.parse(decided_at),
    market: marketOf(source),
  }));
  let price = 3000;
  const closes = decided.flatMap(({ decidedAt, market }, at) => {
    price *= 1 + (dice.below(1000) - 480) / 20_000;
    return at % 25 === 24 ? [] : [{ session: entrySessionOf(decidedAt), price, market }];
  });
  const newestSession = closes.at(-1)?.session ?? '2020-01-03';
  const grades = gradeWeeks(decided, { closes, newestSession }).flatMap((grade, at): SignalGradeRow[] => {
    const row: SignalGradeRow = {
      id: 2 * at + 1,
      week: grade.week,
      horizon_weeks: grade.horizonWeeks,
      entry_session: grade.entrySession,
      entry_close: grade.entryClose,
      exit_session: grade.exitSession,
      exit_close: grade.exitClose,
      change_percent: grade.changePercent,
      status: grade.voidReason === null ? 'graded' : 'void',
      reason: grade.voidReason,
      graded_at: iso(Date.parse(`${grade.exitSession}T22:00:00Z`)),
      replaces: null,
    };
    if (at % 30 !== 29) return [row];
    const corrected = { id: row.id + 1, replaces: row.id, graded_at: iso(Date.parse(row.graded_at) + DAY) };
    return [beforeCorrection(row), { ...row, ...corrected }];
  });
  return { weeks, grades };
}
