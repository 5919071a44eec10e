import { formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { OPEN } from '#domain/calendar/half-days.ts';
import { newYorkDay, newYorkInstant } from '#domain/calendar/new-york.ts';
import type { SignalTime } from './mailer-settings.ts';

/**
 * A week of the signal, named by the Monday (`YYYY-MM-DD`) of its ISO week in New York, and the instant (epoch ms) its
 * signal falls due.
 */
export interface SignalWeek {
  readonly week: string;
  readonly at: number;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const DAYS = 7;
const FRIDAY = 5;
const LAST_HOUR = 23;
/** Fifteen minutes after the closing bell; minutes past midnight. */
const TRADING_OVER = 16 * 60 + 15;

const isoWeekday = (day: number) => weekdayOf(day) || DAYS;
const mondayOf = (day: number) => day - isoWeekday(day) + 1;

/**
 * The time in 'Sat 09:00', a weekday and New York's clock, in capitals or not. Null for anything else, and for a
 * time from 9:30 to before 16:15 of Monday to Friday, when the exchange may be trading and nothing is final.
 */
export function parseSignalTime(text: string): SignalTime | null {
  const [, name = '', hours, rest] = /^\s*([a-z]{3})\s+(\d{1,2}):([0-5]\d)\s*$/i.exec(text) ?? [];
  const weekday = WEEKDAYS.findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1;
  const minutes = 60 * Number(hours) + Number(rest);
  if (weekday === 0 || Number(hours) > LAST_HOUR) return null;
  const mayBeTrading = weekday <= FRIDAY && minutes >= OPEN && minutes < TRADING_OVER;
  return mayBeTrading ? null : { weekday, minutes };
}

/** The week of an instant (epoch ms). */
export function weekOf(now: number): string {
  return formatDay(mondayOf(newYorkDay(now)));
}

function signalOf(monday: number, { weekday, minutes }: SignalTime): SignalWeek {
  return { week: formatDay(monday), at: newYorkInstant(monday + weekday - 1, minutes) };
}

/** The newest signal that is due at `now`. */
export function newestSignal(now: number, time: SignalTime): SignalWeek {
  const monday = parseDay(weekOf(now));
  const ofThisWeek = signalOf(monday, time);
  return ofThisWeek.at <= now ? ofThisWeek : signalOf(monday - DAYS, time);
}

/** The first signal that falls due after `now`. */
export function nextSignal(now: number, time: SignalTime): SignalWeek {
  const monday = parseDay(weekOf(now));
  const ofThisWeek = signalOf(monday, time);
  return ofThisWeek.at > now ? ofThisWeek : signalOf(monday + DAYS, time);
}
