/** Parsers of untrusted values. They return null for an invalid value. */

/** Upper limit of valid numbers, far above any real value. */
const TOO_LARGE = 1e9;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number below 1e9, or its text: PostgREST sends `numeric` as a number, other backends as text. */
export function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) < TOO_LARGE ? number : null;
}

function toNumberWithin(value: unknown, least: number, most: number): number | null {
  const number = toNumber(value);
  return number !== null && number >= least && number <= most ? number : null;
}

/** A number from 0 to 100. */
export const toPercentage = (value: unknown) => toNumberWithin(value, 0, 100);
/** A number that is not negative. */
export const toNonNegative = (value: unknown) => toNumberWithin(value, 0, TOO_LARGE);
export const toPositive = (value: unknown) => toNumberWithin(value, Number.MIN_VALUE, TOO_LARGE);
export function toCount(value: unknown): number | null {
  const number = toNonNegative(value);
  return number !== null && Number.isInteger(number) ? number : null;
}

/** Maximum displayed characters of a text. The tables have the same limit (`short_text`). */
export const LONGEST_TEXT = 200;
const LONGEST_NAME = 60;
const CUT = '…';
/** Limits the search, because a text can have megabytes. */
const REACH = 1000;

// Controls, bidirectional and invisible marks, private-use characters, lone surrogates.
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
// Maximum accents per letter; more would reach into the lines above and below.
const PILED = /(\p{M}{4})\p{M}+/gu;

function toLine(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null;
  const reached = value.trimStart().slice(0, REACH);
  const text = reached.replace(/\s+/g, ' ').replace(UNSHOWABLE, '').replace(PILED, '$1').trim();
  if (text === '') return null;
  if (text.length <= longest && value.length <= REACH) return text;
  return (
    text
      .slice(0, longest - CUT.length)
      .replace(/\p{Cs}$/u, '')
      .trimEnd() + CUT
  );
}

/** Text for one line of the page: without characters that cannot be shown, cut after 200 characters. */
export function toText(value: unknown): string | null {
  return toLine(value, LONGEST_TEXT);
}

/** Parses a name: a text that is cut after 60 characters. */
export function toName(value: unknown): string | null {
  return toLine(value, LONGEST_NAME);
}

export function toAnyText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns a parser of the given words or numbers. */
export const oneOf =
  <const Known extends string | number>(known: readonly Known[]) =>
  (value: unknown): Known | null =>
    known.find((each) => each === value) ?? null;

// Years of four digits, so that the day of every time can be written as YYYY-MM-DD in each time zone.
const LAST_INSTANT = Date.UTC(9999, 0, 1);
const INSTANT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** A time since 1970 as ISO text in UTC. Without an offset it counts as UTC, not as the visitor's own time zone. */
export function toInstant(value: unknown): string | null {
  const [, day, time, offset = 'Z'] = (typeof value === 'string' && INSTANT.exec(value)) || [];
  if (day === undefined) return null;
  const milliseconds = Date.parse(`${day}T${time}${/^.\d{2}$/.test(offset) ? `${offset}:00` : offset}`);
  return milliseconds >= 0 && milliseconds < LAST_INSTANT ? new Date(milliseconds).toISOString() : null;
}

/** An existing day since 1970, `YYYY-MM-DD`. */
export function toDay(value: unknown): string | null {
  return typeof value === 'string' && toInstant(`${value}T00:00Z`)?.startsWith(value) ? value : null;
}

/** The fields of a row; null if the value is not an object. */
export function toFields(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Normalises an address as `mailer.plain_address` in the database does. Leaves the domain unchanged. */
export function foldAddress(text: string): string {
  return text.trim().normalize('NFKC').replaceAll('Σ', 'σ').toLowerCase().normalize('NFKC');
}
