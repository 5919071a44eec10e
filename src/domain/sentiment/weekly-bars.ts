import { parseDay } from '../calendar/days.ts';

/** 1970-01-01 was a Thursday, so this moves the start of the week to Monday. */
const DAYS_FROM_MONDAY = 3;

/** Weeks with a close, oldest first, and for each session the index of its week; -1 for a session without a close. */
export interface WeeklyBars {
  /** The week's last close; the latest close in an unfinished week. */
  readonly close: Float64Array;
  readonly weekOf: Int32Array;
}

/** Weeks of daily closes, Monday to Friday. A session without a close (NaN) belongs to no week. */
export function weeklyBars(sessions: readonly string[], close: Float64Array): WeeklyBars {
  const weekOf = new Int32Array(sessions.length).fill(-1);
  const closes: number[] = [];
  let current = Number.NaN;
  sessions.forEach((session, at) => {
    const price = close[at] ?? Number.NaN;
    if (Number.isNaN(price)) return;
    const week = Math.floor((parseDay(session) + DAYS_FROM_MONDAY) / 7);
    if (week !== current) closes.push(price);
    closes[closes.length - 1] = price;
    current = week;
    weekOf[at] = closes.length - 1;
  });
  return { close: Float64Array.from(closes), weekOf };
}
