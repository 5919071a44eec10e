/** A value in DER (X.690): its tag, its content, and all its bytes. */
export interface Der {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
  /** The values in the content. Throws RangeError if the content is not a list of values. */
  parts(): Der[];
}

const LONG_LENGTH = 0x80;

function readAt(bytes: Buffer, start: number): Der {
  const [tag = 0, first = 0] = bytes.subarray(start, start + 2);
  const more = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
  // The indefinite form (0) is not DER. No value of ours needs more than four bytes.
  if (start + 2 + more > bytes.length || first === LONG_LENGTH || more > 4)
    throw new RangeError('The length of a DER value is invalid.');
  const length = more === 0 ? first : bytes.readUIntBE(start + 2, more);
  const [begin, end] = [start + 2 + more, start + 2 + more + length];
  if (end > bytes.length) throw new RangeError('A DER value ends too early.');
  const content = bytes.subarray(begin, end);
  return { tag, content, raw: bytes.subarray(start, end), parts: () => readAll(content) };
}

function readAll(bytes: Buffer): Der[] {
  const values: Der[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readAt(bytes, at);
    values.push(value);
    at += value.raw.length;
  }
  return values;
}

/** Reads the value at the start of some bytes. Throws RangeError if there is no complete one. */
export const readDer = (bytes: Uint8Array): Der => readAt(Buffer.from(bytes), 0);

export function derOf(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const digits = bytes.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const head =
    bytes.length < LONG_LENGTH ? [tag, bytes.length] : [tag, LONG_LENGTH + length.length, ...length];
  return Buffer.concat([Uint8Array.from(head), bytes]);
}

/** Returns an object identifier as text, such as '1.2.840.113549.1.7.2'. */
export function oidOf({ content }: Der): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    numbers.push(value);
    value = 0;
  }
  const [first = 0, ...rest] = numbers;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - 40 * top, ...rest].join('.');
}
