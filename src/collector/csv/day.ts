import { dateOf, dayOf } from '#domain/calendar/days.ts';

const FIRST_YEAR = 1900;
const LAST_YEAR = 2099;

/** What stands for a day that is none. */
export const NO_DAY = -(2 ** 31);

/** Days since 1970-01-01 by year, month and date, worked out once: a million rows ask for a thousand days. */
const DAYS = dayTable();

/** The day written `YYYY-MM-DD` in `bytes[start, end)`, in days since 1970-01-01; NO_DAY when it is not one. */
export function readDay(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== 10 || bytes[start + 4] !== 45 || bytes[start + 7] !== 45) return NO_DAY;
  const year = readTwo(bytes, start) * 100 + readTwo(bytes, start + 2);
  const month = readTwo(bytes, start + 5);
  const date = readTwo(bytes, start + 8);
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12 && date >= 1 && date <= 31))
    return NO_DAY;
  return DAYS[(year - FIRST_YEAR) * 372 + (month - 1) * 31 + date - 1] as number;
}

function readTwo(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 48;
  const ones = (bytes[at + 1] as number) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -10_000;
}

function dayTable(): Int32Array {
  const table = new Int32Array((LAST_YEAR - FIRST_YEAR + 1) * 372);
  for (let at = 0; at < table.length; at += 1) {
    const month = (Math.floor(at / 31) % 12) + 1;
    const day = dayOf(FIRST_YEAR + Math.floor(at / 372), month, (at % 31) + 1);
    table[at] = dateOf(day).month === month ? day : NO_DAY;
  }
  return table;
}
