import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Headers = Readonly<Record<string, string>>;

/** Content in the encodings br and gzip; null if the encoding does not make the content smaller. */
export interface Encoded {
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/** A response ready to be sent to any number of clients. */
export interface Resource extends Encoded {
  readonly status: number;
  readonly headers: Headers;
  /** Digest of status, headers and content, without quotes. The ETag of an encoding also has its name. */
  readonly tag: string;
  readonly content: Buffer;
}

const NOT_ENCODED: Encoded = { br: null, gzip: null };

/** Creates a resource. `encoded` is the result of `encode` for its content. */
export function toResource(
  content: Buffer,
  headers: Headers,
  { status = 200, encoded: { br, gzip } = NOT_ENCODED }: { status?: number; encoded?: Encoded } = {},
): Resource {
  const hash = createHash('sha256')
    .update(JSON.stringify([status, headers]))
    .update(content);
  const vary = (br ?? gzip) !== null && { Vary: 'Accept-Encoding' };
  const tag = hash.digest('base64url').slice(0, 16);
  return { status, headers: { ...vary, ...headers }, tag, content, br, gzip };
}

/** Minimum length to compress (bytes). Smaller content would save less than the two additional headers need. */
const SMALLEST_TO_COMPRESS = 600;
/** Compression levels: `best` for content sent often, `quick` for content that a client waits for. */
const LEVELS = { best: { brotli: 11, gzip: 9 }, quick: { brotli: 5, gzip: 6 } } as const;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses text, off the main thread. */
export async function encode(content: Buffer, effort: keyof typeof LEVELS): Promise<Encoded> {
  if (content.length < SMALLEST_TO_COMPRESS) return NOT_ENCODED;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: LEVELS[effort].brotli,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    // Encodes the distances to earlier copies in fewer bytes, for HTML that repeats much.
    [constants.BROTLI_PARAM_NPOSTFIX]: 3,
  };
  const [br, gz] = await Promise.all([
    brotli(content, { params }),
    gzipped(content, { level: LEVELS[effort].gzip }),
  ]);
  // zlib returns a slice of a larger buffer. A copy frees that buffer.
  const smaller = (encoded: Buffer) => {
    if (encoded.length >= content.length) return null;
    const own = Buffer.allocUnsafeSlow(encoded.length);
    encoded.copy(own);
    return own;
  };
  return { br: smaller(br), gzip: smaller(gz) };
}

export async function compressedResource(
  text: string,
  headers: Headers,
  status = 200,
  effort: keyof typeof LEVELS = 'best',
): Promise<Resource> {
  const content = Buffer.from(text);
  return toResource(content, headers, { status, encoded: await encode(content, effort) });
}
