import { dayOf, formatDay } from '#domain/calendar/days.ts';
import { isSession } from '#domain/calendar/sessions.ts';
import { NO_DAY } from './day.ts';

const FIRST = dayOf(1900, 1, 1);
const LAST = dayOf(2099, 12, 31);

/** Tells sessions of 1900 to 2099 from other days. */
export interface SessionDays {
  /** Why a row of this day (days since 1970) cannot be: null when it can. */
  refusal(day: number): string | null;
}

/** Asks the calendar about each day once: a million rows ask for a thousand days. */
export function createSessionDays(): SessionDays {
  const asked = new Int8Array(LAST - FIRST + 1);
  return {
    refusal(day) {
      if (day === NO_DAY) return 'is not a day written YYYY-MM-DD';
      const at = day - FIRST;
      if (asked[at] === 0) asked[at] = isSession(formatDay(day)) ? 1 : 2;
      return asked[at] === 1 ? null : 'is not a session of the exchange';
    },
  };
}
