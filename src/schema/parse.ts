/** Reading untrusted values field by field. A value that is not what it should be reads as null. */

/** A finite number, or the text of one; PostgREST sends `numeric` as a number, other backends as text. */
export function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** A number from 0 to 100. */
export function toPercentage(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 && number <= 100 ? number : null;
}

/** A number that is not below zero. */
export function toNonNegative(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A whole number that is not below zero. */
export function toCount(value: unknown): number | null {
  const number = toNonNegative(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** Characters that text of a row may have; the tables hold it too (`short_text`). */
export const LONGEST_TEXT = 200;
// Control characters and the marks that turn the direction of the text around them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const UNSHOWABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** Text of 1 to 200 characters that can stand in a line of a page. */
export function toText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text !== '' && text.length <= LONGEST_TEXT && !UNSHOWABLE.test(text) ? text : null;
}

/** One of the words given. */
export function toWord<Word extends string>(words: readonly Word[], value: unknown): Word | null {
  return words.find((word) => word === value) ?? null;
}

// Years of four digits, so that the day of every instant can be written as YYYY-MM-DD in every time zone.
const LAST_INSTANT = Date.UTC(9999, 0, 1);

/** An instant since 1970 as ISO text in UTC, from PostgREST's `2026-11-13T21:00:00+00:00`. */
export function toInstant(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)) return null;
  const milliseconds = Date.parse(value);
  return milliseconds >= 0 && milliseconds < LAST_INSTANT ? new Date(milliseconds).toISOString() : null;
}

/** The fields of a row, or null when the value is no row at all. */
export function toFields(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
