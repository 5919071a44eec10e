import { toCount, toDay, toFields, toInstant, toNumber, toPositive, toWord } from './parse.ts';

/** A row of the view `signal_grades`: the change of the S&P 500 after the decision of one week. */
export interface SignalGradeRow {
  id: number;
  /** The Monday of the week, `YYYY-MM-DD`. */
  week: string;
  horizon_weeks: 1 | 4 | 13;
  /** Fields without a value in a void grade are null. */
  entry_session: string | null;
  entry_close: number | null;
  exit_session: string | null;
  exit_close: number | null;
  /** Change from the entry close, in percent of that close; null if the grade is void. */
  change_percent: number | null;
  status: 'graded' | 'void';
  /** The reason why the grade is void, in one plain sentence; null if it is not void. */
  reason: string | null;
  /** ISO instant. */
  graded_at: string;
  /** The id of the grade that this one replaces. */
  replaces: number | null;
}

export const SIGNAL_GRADE_COLUMNS =
  'id,week,horizon_weeks,entry_session,entry_close,exit_session,exit_close,change_percent,status,reason,graded_at,replaces';

/** The row in an untrusted value; null without an id, a week, a horizon, a status or an instant. */
export function parseSignalGrade(value: unknown): SignalGradeRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const id = toCount(fields.id);
  const week = toDay(fields.week);
  const horizon_weeks = ([1, 4, 13] as const).find((weeks) => weeks === fields.horizon_weeks);
  const status = toWord(['graded', 'void'] as const, fields.status);
  const graded_at = toInstant(fields.graded_at);
  if (id === null || week === null || horizon_weeks === undefined) return null;
  if (status === null || graded_at === null) return null;
  const { reason } = fields;
  return {
    id,
    week,
    horizon_weeks,
    entry_session: toDay(fields.entry_session),
    entry_close: toPositive(fields.entry_close),
    exit_session: toDay(fields.exit_session),
    exit_close: toPositive(fields.exit_close),
    change_percent: toNumber(fields.change_percent),
    status,
    reason: typeof reason === 'string' ? reason : null,
    graded_at,
    replaces: toCount(fields.replaces),
  };
}
