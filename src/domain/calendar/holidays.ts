import { dateOf, dayOf, formatDay, nthWeekday, parseDay, weekdayOf } from './days.ts';

const MONDAY = 1;
const THURSDAY = 4;
const SATURDAY = 6;

/** Days on which the exchange was closed besides its holidays: for mourning, after an attack, or in a storm. */
const SPECIAL_CLOSURES = [
  '1994-04-27',
  '2001-09-11',
  '2001-09-12',
  '2001-09-13',
  '2001-09-14',
  '2004-06-11',
  '2007-01-02',
  '2012-10-29',
  '2012-10-30',
  '2018-12-05',
  '2025-01-09',
] as const;

const FIRST_MARTIN_LUTHER_KING_DAY = 1998;
const FIRST_JUNETEENTH = 2022;

/** Easter Sunday by the anonymous Gregorian computus (Meeus, Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  return dayOf(year, month, (h + l - 7 * m + 33 * month + 19) % 32);
}

/** The day on which a holiday is observed: the Friday before a Saturday, the Monday after a Sunday. */
function observed(day: number): number {
  const weekday = weekdayOf(day);
  return weekday === SATURDAY ? day - 1 : weekday === 0 ? day + 1 : day;
}

/** The weekdays on which the exchange is closed (NYSE Rule 7.2). New Year's Day on a Saturday closes no Friday. */
function closedDaysOf(year: number): Set<number> {
  const newYear = dayOf(year, 1, 1);
  const days = [
    nthWeekday(year, 2, MONDAY, 3),
    easterSunday(year) - 2,
    nthWeekday(year, 5, MONDAY, 'last'),
    observed(dayOf(year, 7, 4)),
    nthWeekday(year, 9, MONDAY, 1),
    thanksgiving(year),
    observed(dayOf(year, 12, 25)),
  ];
  if (weekdayOf(newYear) !== SATURDAY) days.push(observed(newYear));
  if (year >= FIRST_MARTIN_LUTHER_KING_DAY) days.push(nthWeekday(year, 1, MONDAY, 3));
  if (year >= FIRST_JUNETEENTH) days.push(observed(dayOf(year, 6, 19)));
  for (const closure of SPECIAL_CLOSURES) {
    if (closure.startsWith(`${year}-`)) days.push(parseDay(closure));
  }
  return new Set(days);
}

/** Thanksgiving Day: the fourth Thursday of November. */
export function thanksgiving(year: number): number {
  return nthWeekday(year, 11, THURSDAY, 4);
}

const closedDays = new Map<number, Set<number>>();

/** True if a day number is a session. */
export function isTradingDay(day: number): boolean {
  const weekday = weekdayOf(day);
  if (weekday === 0 || weekday === SATURDAY) return false;
  const { year } = dateOf(day);
  let closed = closedDays.get(year);
  if (closed === undefined) {
    closed = closedDaysOf(year);
    closedDays.set(year, closed);
  }
  return !closed.has(day);
}

/** Times of the exchange, in minutes past midnight in New York. */
export const OPEN = 9 * 60 + 30;
const CLOSE = 16 * 60;
const EARLY_CLOSE = 13 * 60;

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
