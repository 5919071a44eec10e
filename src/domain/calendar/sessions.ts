import { dateOf, dayOf, formatDay, nthWeekday, parseDay, weekdayOf } from './days.ts';
import { closingMinutes, isTradingDay, OPEN } from './holidays.ts';

/* The sessions of the New York Stock Exchange. A session is a day, `YYYY-MM-DD`; times are epoch ms. Exact for 1990
   to 2035 by the currently known rules of the exchange; add closures that are announced later (mourning, storm) to
   the tables. An invalid day throws a RangeError. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUNDAY = 0;
const MONDAY = 1;

/**
 * True in summer time: `hours` is New York's clock since 1970, and `end` its hour at which summer time ends. By the
 * Energy Policy Act of 2005, before 2007 by the rule of 1987; not valid before.
 */
function isSummer(hours: number, end: number): boolean {
  const { year } = dateOf(Math.floor(hours / 24));
  const [first, last] =
    year < 2007
      ? [nthWeekday(year, 4, SUNDAY, 1), nthWeekday(year, 10, SUNDAY, 'last')]
      : [nthWeekday(year, 3, SUNDAY, 2), nthWeekday(year, 11, SUNDAY, 1)];
  return hours >= 24 * first + 2 && hours < 24 * last + end;
}

/** The time on New York's clocks at an instant, as the epoch ms at which a clock of UTC shows the same. */
export const newYorkTime = (instant: number) => instant - (isSummer(instant / HOUR - 5, 1) ? 4 : 5) * HOUR;

/** The instant at which New York's clocks first show `minutes` past midnight; skipped minutes count as summer time. */
export const newYorkInstant = (day: number, minutes: number) =>
  day * DAY + minutes * 60_000 + (isSummer(24 * day + minutes / 60, 2) ? 4 : 5) * HOUR;

/** The day number in New York at an instant. */
export const newYorkDay = (instant: number) => Math.floor(newYorkTime(instant) / DAY);

/** The day in America/New_York at an instant (epoch ms). */
export function marketDay(instant: number): string {
  return formatDay(newYorkDay(instant));
}

/** Midnight of a day in America/New_York; NaN for an invalid day. */
export function startOfMarketDay(day: string): number {
  return newYorkInstant(parseDay(day), 0);
}

function toDay(text: string): number {
  const day = parseDay(text);
  if (Number.isNaN(day)) throw new RangeError(`'${text}' is not a day; write it as YYYY-MM-DD.`);
  return day;
}

/** The trading day that is `count` trading days after a day; before it if `count` is negative. */
function tradingDayFrom(day: number, count: number): number {
  let found = day;
  for (let left = Math.abs(count); left > 0; ) {
    found += Math.sign(count);
    if (isTradingDay(found)) left -= 1;
  }
  return found;
}

const closeOf = (day: number) => newYorkInstant(day, closingMinutes(day));
const openOf = (day: number) => newYorkInstant(day, OPEN);

function newestClosedDay(now: number): number {
  const today = newYorkDay(now);
  return isTradingDay(today) && now >= closeOf(today) ? today : tradingDayFrom(today, -1);
}

/** True if a day is a session. */
export function isSession(day: string): boolean {
  const number = parseDay(day);
  return !Number.isNaN(number) && isTradingDay(number);
}

/** The first session after a day, or the session `count` sessions after it. */
export function nextSession(day: string, count = 1): string {
  return formatDay(tradingDayFrom(toDay(day), count));
}

/** The last session before a day, or the session `count` sessions before it. */
export function previousSession(day: string, count = 1): string {
  return formatDay(tradingDayFrom(toDay(day), -count));
}

/** The sessions from one day to another (both inclusive), ascending. */
export function sessionsBetween(from: string, to: string): string[] {
  const last = toDay(to);
  const sessions: string[] = [];
  for (let day = toDay(from); day <= last; day += 1) {
    if (isTradingDay(day)) sessions.push(formatDay(day));
  }
  return sessions;
}

/** The opening of a session, 9:30 in New York. */
export function sessionOpen(session: string): number {
  return openOf(toDay(session));
}

/** The close of a session: 16:00 in New York, or its early close. */
export function sessionClose(session: string): number {
  return closeOf(toDay(session));
}

/** True if an instant is the close of a session. */
export function isSessionClose(instant: number): boolean {
  const day = newYorkDay(instant);
  return isTradingDay(day) && instant === closeOf(day);
}

/** The newest session that closed at or before `now`. */
export function newestClosedSession(now: number): string {
  return formatDay(newestClosedDay(now));
}

/** The newest session that opened at or before `now`. */
export function newestOpenedSession(now: number): string {
  const today = newYorkDay(now);
  return formatDay(isTradingDay(today) && now >= openOf(today) ? today : tradingDayFrom(today, -1));
}

/** Sessions that closed after `session` and up to `now`; 0 if there is no later one. */
export function sessionsBehind(session: string, now: number): number {
  const last = formatDay(newestClosedDay(now));
  return sessionsBetween(session, last).filter((closed) => closed > session).length;
}

/** The state of the exchange at `now`: the open session (null if it is closed) and the next close after now. */
export function marketState(now: number) {
  const today = newYorkDay(now);
  const trading = isTradingDay(today);
  const open = trading && now >= openOf(today) && now < closeOf(today);
  return {
    open,
    session: open ? formatDay(today) : null,
    nextClose: closeOf(trading && now < closeOf(today) ? today : tradingDayFrom(today, 1)),
  };
}

/** The `count` sessions up to and including `last`, ascending. */
export function lastSessions(last: string, count: number): string[] {
  return sessionsBetween(previousSession(last, count), last).slice(-count);
}

/** Time (ms) after a close from which its rows are overdue if they are missing. */
export const OVERDUE_MS = 90 * 60_000;

/** Closed sessions overdue at `now`, if the newest row is from `newest`. A row within a session is no close. */
export function sessionsOverdue(newest: number, now: number): number {
  return sessionsBehind(newestClosedSession(newest), now - OVERDUE_MS);
}

/** The newest session that may be published `delay` sessions after its own close. */
export function newestPublishableSession(now: number, delay: number): string {
  return previousSession(newestClosedSession(now), delay);
}

/**
 * The instant as of which published rows are current: `now` without a delay. With one, an instant as long after the close
 * of the newest published session as `now` is after the newest close, and before the next opening.
 */
export function publishedInstant(now: number, delay: number): number {
  if (delay === 0) return now;
  const session = newestPublishableSession(now, delay);
  const since = now - sessionClose(newestClosedSession(now));
  return Math.min(sessionClose(session) + since, sessionOpen(nextSession(session)) - 1);
}

/** Providers publish some values, and corrections, up to this long after the closing bell (ms). */
export const LATE_FIGURES = 4 * 3_600_000;

/**
 * The kind of a publication, which is a closing row set as published at an instant (epoch ms): 'close' in the first hours
 * after the closing bell, 'final' from the evening on.
 */
export function publicationKind(session: string, at: number): 'close' | 'final' {
  return at < sessionClose(session) + LATE_FIGURES ? 'close' : 'final';
}

/** Columbus Day and Veterans Day (Monday for a Sunday). https://www.sifma.org/resources/general/holiday-schedule/ */
function isBondHoliday(day: number): boolean {
  const { year } = dateOf(day);
  const veterans = dayOf(year, 11, 11);
  const keptOn = weekdayOf(veterans) === SUNDAY ? veterans + 1 : veterans;
  return day === keptOn || day === nthWeekday(year, 10, MONDAY, 2);
}

/** Number of sessions after `day` up to `until` on which bonds were traded too; 0 if `day` is not before `until`. */
export function bondSessionsAfter(day: string, until: string): number {
  return sessionsBetween(day, until).filter((session) => session > day && !isBondHoliday(parseDay(session)))
    .length;
}
