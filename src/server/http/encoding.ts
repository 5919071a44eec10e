import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

const ENCODINGS = ['br', 'gzip'] as const;
/** Smaller content gains less than the two extra headers cost. */
const SMALLEST_TO_COMPRESS = 600;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compression levels: `best` for content sent often, `quick` for content made while a client waits. */
const EFFORTS = { best: { brotli: 11, gzip: 9 }, quick: { brotli: 5, gzip: 6 } } as const;
type Effort = keyof typeof EFFORTS;

/** Content in each encoding; null if the encoding does not make it smaller. */
export interface Encoded {
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/** Content without encodings. */
export const NOT_ENCODED: Encoded = { br: null, gzip: null };

/** Compresses text, off the main thread. */
export async function encode(content: Buffer, effort: Effort): Promise<Encoded> {
  if (content.length < SMALLEST_TO_COMPRESS) return NOT_ENCODED;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: EFFORTS[effort].brotli,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [br, gz] = await Promise.all([
    brotli(content, { params }),
    gzipped(content, { level: EFFORTS[effort].gzip }),
  ]);
  // zlib returns a slice of a larger buffer, which the slice would keep in memory.
  const smaller = (encoded: Buffer) => {
    if (encoded.length >= content.length) return null;
    const own = Buffer.allocUnsafeSlow(encoded.length);
    encoded.copy(own);
    return own;
  };
  return { br: smaller(br), gzip: smaller(gz) };
}

/** Further items of a header are ignored. */
const MOST_ITEMS = 100;

/** Our encodings that an `Accept-Encoding` header accepts. */
function readAcceptEncoding(header: string): readonly Encoding[] {
  const taken = header.split(',', MOST_ITEMS).flatMap((item) => {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name];
  });
  return ENCODINGS.filter((encoding) => taken.includes(encoding));
}

/** Parsed headers: browsers send one of a few. */
const known = new Map<string, readonly Encoding[]>();
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 100;

function acceptedEncodings(header: string): readonly Encoding[] {
  const before = known.get(header);
  if (before !== undefined) return before;
  const accepted = readAcceptEncoding(header);
  if (known.size < MOST_KNOWN && header.length <= LONGEST_KNOWN) known.set(header, accepted);
  return accepted;
}

/** The best encoding that an `Accept-Encoding` header accepts and the content has; null for none. */
export function chooseEncoding(header: string | undefined, of: Encoded): Encoding | null {
  if (header === undefined) return null;
  return acceptedEncodings(header).find((encoding) => of[encoding] !== null) ?? null;
}
