import { dateOf, dayOf, formatDay } from '#domain/calendar/days.ts';
import { isSession } from '#domain/calendar/sessions.ts';

/** The value that `readDay` returns for text that is not a day. */
export const NO_DAY = -(2 ** 31);

/** Cached, because a million rows contain only a thousand different days. */
const SESSIONS = new Map<number, boolean>();

/**
 * Reads the day of 1900 to 2099 written `YYYY-MM-DD` in `bytes[start, end)`, as days since 1970-01-01; NO_DAY for any
 * other text.
 */
export function readDay(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 10 || bytes[start + 4] !== 45 || bytes[start + 7] !== 45) return NO_DAY;
  const year = readTwo(bytes, start) * 100 + readTwo(bytes, start + 2);
  const month = readTwo(bytes, start + 5);
  const date = readTwo(bytes, start + 8);
  if (!(year >= 1900 && year <= 2099 && month >= 1 && month <= 12 && date >= 1 && date <= 31)) return NO_DAY;
  const day = dayOf(year, month, date);
  return dateOf(day).month === month ? day : NO_DAY;
}

/** True if a day returned by `readDay` is a session of the exchange. */
export function isSessionDay(day: number): boolean {
  const known = SESSIONS.get(day);
  if (known !== undefined) return known;
  const found = day !== NO_DAY && isSession(formatDay(day));
  SESSIONS.set(day, found);
  return found;
}

function readTwo(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 48;
  const ones = (bytes[at + 1] as number) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -10_000;
}

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, power) => 10 ** power);
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const EXACT_DIGITS = 15;

/**
 * Reads the number written in `bytes[start, end)`, correctly rounded; NaN if the text is not a number. The quotient of
 * an integer below 2^53 and a power of ten up to 10^22 is rounded only once (Clinger, 1990). JavaScript parses longer,
 * signed and exponential numbers.
 */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number {
  let mantissa = 0;
  let point = -1;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] as number) - 48;
    if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit;
    else if (digit === -2 && point < 0) point = at;
    else return readOtherDecimal(bytes, start, end);
  }
  const digits = end - start - (point >= 0 ? 1 : 0);
  if (digits === 0 || digits > EXACT_DIGITS) return readOtherDecimal(bytes, start, end);
  return point < 0 ? mantissa : mantissa / (POWERS_OF_TEN[end - point - 1] as number);
}

function readOtherDecimal(bytes: Uint8Array, start: number, end: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    .toString('latin1')
    .trim();
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : Number.NaN;
}
