import { REST_LIMITS, type RowRange } from './dialect.ts';
import { unsatisfiableRange } from './refusal.ts';

const WHOLE_NUMBER = /^-?\d+$/;
/** Other forms that Haskell, and so PostgREST, reads as a number: `(5)`, ` 5`, `0x1F`. Takes linear time. */
const ODD_NUMBER = /^[\s(]*(?:-[\s(]*)?(\d+|0[xo][\da-f]+)[\s)]*$/i;
const RANGE_HEADER = /^(\d+)-(\d*)$/;

// PostgREST lets a limit or an offset that is no number pass as if it were not there.
function toInteger(text: string | undefined): bigint | null {
  if (text === undefined) return null;
  if (WHOLE_NUMBER.test(text)) return BigInt(text);
  if (ODD_NUMBER.test(text)) throw unsatisfiableRange('A limit and an offset are written in decimal digits.');
  return null;
}

/** Rows `first` to `last`, both counted; no `last` is to the end. */
interface Span {
  readonly first: bigint;
  readonly last: bigint | null;
}

// As PostgREST has it, a limit that is no number means none beside no offset, and no rows beside one.
function spanOfParameters(limitText: string | undefined, offsetText: string | undefined): Span {
  const limit = toInteger(limitText);
  const first = toInteger(offsetText) ?? 0n;
  if (limitText === undefined) return { first, last: null };
  if (offsetText === undefined) return { first: 0n, last: limit === null ? null : limit - 1n };
  return { first, last: first + (limit ?? 0n) - 1n };
}

function spanOfHeader(header: string | undefined): Span {
  if (header !== undefined && /[,\n]/.test(header)) throw unsatisfiableRange('Ask for one range at a time.');
  const match = RANGE_HEADER.exec(header ?? '');
  const first = BigInt(match?.[1] ?? 0);
  const last = match?.[2] ? BigInt(match[2]) : null;
  if (last === null || last >= first) return { first, last };
  throw unsatisfiableRange(
    'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
  );
}

const earlier = (one: bigint | null, other: bigint | null) =>
  one === null || (other !== null && other < one) ? other : one;

/**
 * The rows that `limit`, `offset` and a `Range` header ask for together: those in all of them, at most
 * `REST_LIMITS.rows`. Throws `Refusal` when a limit is negative, a range runs backwards, or nothing is in all, and for a
 * number that is written in another way than ours.
 */
export function readRange(parts: {
  limit: string | undefined;
  offset: string | undefined;
  header: string | undefined;
}): RowRange {
  const asked = spanOfParameters(parts.limit, parts.offset);
  // No rows at all, whatever a header says.
  if (asked.last === -1n) return { offset: '0', limit: 0 };
  const header = spanOfHeader(parts.header);
  // biome-ignore lint/complexity/useMathMinMax: Math.max knows no bigint
  const first = asked.first > header.first ? asked.first : header.first;
  const last = earlier(asked.last, header.last);
  if (last !== null && last < first) {
    throw unsatisfiableRange('Limit should be greater than or equal to zero.');
  }
  const most = BigInt(REST_LIMITS.rows);
  const count = last === null ? most : last - first + 1n;
  return { offset: String(first), limit: Number(count < most ? count : most) };
}
