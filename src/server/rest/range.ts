import { REST_LIMITS, type RowRange } from './dialect.ts';
import { unsatisfiableRange } from './refusal.ts';

const WHOLE_NUMBER = /^-?\d+$/;
const RANGE_HEADER = /^(\d+)-(\d*)$/;

// PostgREST lets a limit or an offset that is no number pass as if it were not there.
function toInteger(text: string | undefined): bigint | null {
  return text !== undefined && WHOLE_NUMBER.test(text) ? BigInt(text) : null;
}

const later = (one: bigint, other: bigint) => (one > other ? one : other);
const earlier = (one: bigint | null, other: bigint | null) =>
  one === null || (other !== null && other < one) ? other : one;

/**
 * The rows that `limit`, `offset` and a `Range` header ask for together: those in all of them, at most
 * `REST_LIMITS.rows`. Throws `Refusal` when a limit is negative, a range runs backwards, or nothing is in all.
 */
export function readRange(parts: {
  limit: string | undefined;
  offset: string | undefined;
  header: string | undefined;
}): RowRange {
  const limit = toInteger(parts.limit);
  const offset = toInteger(parts.offset);
  const header = RANGE_HEADER.exec(parts.header ?? '');
  const headerFirst = BigInt(header?.[1] ?? 0);
  const headerLast = header?.[2] ? BigInt(header[2]) : null;
  if (headerLast !== null && headerLast < headerFirst) {
    throw unsatisfiableRange(
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    );
  }
  const start = offset !== null && offset > 0n ? offset : 0n;
  if (limit === 0n) return { offset: String(start), limit: 0 };
  const first = later(start, headerFirst);
  const last = earlier(limit === null ? null : start + limit - 1n, headerLast);
  if (last !== null && last < first) {
    throw unsatisfiableRange('Limit should be greater than or equal to zero.');
  }
  const most = BigInt(REST_LIMITS.rows);
  const asked = last === null ? most : last - first + 1n;
  return { offset: String(first), limit: Number(asked < most ? asked : most) };
}
