import { dateOf, dayOf, formatDay, weekdayOf } from './days.ts';
import { thanksgiving } from './holidays.ts';

/** Times of the exchange, in minutes past midnight in New York. */
export const OPEN = 9 * 60 + 30;
const CLOSE = 16 * 60;
const EARLY_CLOSE = 13 * 60;

const THURSDAY = 4;

/** Early closes that the rules below do not cover, because they were announced for a single day or are older. */
const SINGLE_EARLY_CLOSES: Readonly<Record<string, number>> = {
  '1990-12-24': 14 * 60,
  '1991-12-24': 14 * 60,
  '1992-11-27': 14 * 60,
  '1992-12-24': 14 * 60,
  '1997-12-26': EARLY_CLOSE,
  '1999-12-31': EARLY_CLOSE,
  '2003-12-26': EARLY_CLOSE,
};

/** The day of the early close around Independence Day if 4 July is a Tuesday to Friday; otherwise NaN. */
function independenceEarlyClose(year: number): number {
  const holiday = dayOf(year, 7, 4);
  const eve = holiday - 1;
  const weekday = weekdayOf(holiday);
  if (year < 1995 || weekday < 2 || weekday > 5) return Number.NaN;
  // If 4 July is a Thursday, the early close was on the Friday after it until 2012, and is on the Wednesday before it
  // since 2013.
  return weekday === THURSDAY && year < 2013 ? holiday + 1 : eve;
}

/** End of a session in minutes past midnight: 16:00, or the exchange's early close. */
export function closingMinutes(day: number): number {
  const { year, month, date } = dateOf(day);
  if (month !== 7 && month < 11) return CLOSE;
  const single = SINGLE_EARLY_CLOSES[formatDay(day)];
  if (single !== undefined) return single;
  if (month === 7) return day === independenceEarlyClose(year) ? EARLY_CLOSE : CLOSE;
  if (year < 1993) return CLOSE;
  const early = month === 11 ? day === thanksgiving(year) + 1 : month === 12 && date === 24;
  return early ? EARLY_CLOSE : CLOSE;
}
