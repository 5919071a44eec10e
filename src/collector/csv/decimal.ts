const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, power) => 10 ** power);
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const EXACT_DIGITS = 15;

/**
 * The number written in `bytes[start, end)`, correctly rounded; NaN if it is not one. The quotient of an integer below
 * 2^53 and a power of ten up to 10^22 is rounded only once (Clinger, 1990). Longer, signed and exponential numbers are
 * parsed by JavaScript.
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
