import { formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { OPEN } from '#domain/calendar/holidays.ts';
import { newYorkDay, newYorkInstant } from '#domain/calendar/sessions.ts';
import type { SignalTime } from './mailer-settings.ts';

/** `week` is the Monday of its ISO week in New York; `at` is the time at which its signal is due (epoch ms). */
export interface SignalWeek {
  readonly week: string;
  readonly at: number;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const DAYS = 7;
const FRIDAY = 5;
const LAST_HOUR = 23;
/** 16:15 in minutes since midnight, when the closing auction has ended. */
const TRADING_OVER = 16 * 60 + 15;

const isoWeekday = (day: number) => weekdayOf(day) || DAYS;
const mondayOf = (day: number) => day - isoWeekday(day) + 1;

/** Parses 'Sat 09:00', a time in New York. Null for other text, and for times at which the exchange may be trading. */
export function parseSignalTime(text: string): SignalTime | null {
  const [, name = '', hours, rest] = /^\s*([a-z]{3})\s+(\d{1,2}):([0-5]\d)\s*$/i.exec(text) ?? [];
  const weekday = WEEKDAYS.findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1;
  const minutes = 60 * Number(hours) + Number(rest);
  if (weekday === 0 || Number(hours) > LAST_HOUR) return null;
  const mayBeTrading = weekday <= FRIDAY && minutes >= OPEN && minutes < TRADING_OVER;
  return mayBeTrading ? null : { weekday, minutes };
}

/** Returns the week that contains an instant (epoch ms). */
export function weekOf(now: number): string {
  return formatDay(mondayOf(newYorkDay(now)));
}

function signalOf(monday: number, { weekday, minutes }: SignalTime): SignalWeek {
  return { week: formatDay(monday), at: newYorkInstant(monday + weekday - 1, minutes) };
}

export function newestSignal(now: number, time: SignalTime): SignalWeek {
  const monday = parseDay(weekOf(now));
  const thisWeek = signalOf(monday, time);
  return thisWeek.at <= now ? thisWeek : signalOf(monday - DAYS, time);
}

export function nextSignal(now: number, time: SignalTime): SignalWeek {
  const monday = parseDay(weekOf(now));
  const thisWeek = signalOf(monday, time);
  return thisWeek.at > now ? thisWeek : signalOf(monday + DAYS, time);
}
