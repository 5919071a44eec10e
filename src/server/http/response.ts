import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { COMMON_HEADERS, NOTHING } from './security-headers.ts';

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

export function send(response: ServerResponse, status: number, headers: Headers, body: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** True if the client of a request shows pages, as browsers do. */
export const acceptsPage = ({ headers }: IncomingMessage): boolean =>
  headers.accept?.includes('text/html') === true;

export const NOT_FOUND = 'This page does not exist.';

export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void {
  const plain = {
    ...COMMON_HEADERS,
    'Content-Security-Policy': NOTHING,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  send(response, status, { ...plain, ...headers }, `${text}\n`);
}

type Encoding = 'br' | 'gzip' | 'identity';

/** A resource in one encoding, ready to be sent. */
interface Variant {
  readonly tag: string;
  /** Header names and values in alternation, which is the form that `writeHead` takes. */
  readonly head: string[];
  /** The headers of a 304 response, in the same form. */
  readonly unchanged: string[];
  readonly body: Buffer;
}

/** The variants that were sent before, so that each variant is prepared only once. */
const prepared = new WeakMap<Resource, Partial<Record<Encoding, Variant>>>();

const OF_CONTENT = /^content-(?!location|profile)/i;

function variantOf(resource: Resource, encoding: Encoding): Variant {
  let variants = prepared.get(resource);
  if (variants === undefined) {
    variants = {};
    prepared.set(resource, variants);
  }
  variants[encoding] ??= createVariant(resource, encoding);
  return variants[encoding];
}

function createVariant(resource: Resource, encoding: Encoding): Variant {
  const isEncoded = encoding !== 'identity';
  const body = (isEncoded ? resource[encoding] : null) ?? resource.content;
  const tag = `"${resource.tag}${isEncoded ? `-${encoding}` : ''}"`;
  const headers = {
    ...resource.headers,
    ETag: tag,
    ...(isEncoded && { 'Content-Encoding': encoding }),
    'Content-Length': String(body.length),
  };
  const unchanged = Object.entries(headers).filter(([name]) => !OF_CONTENT.test(name));
  return { tag, head: Object.entries(headers).flat(), unchanged: unchanged.flat(), body };
}

/** Patterns for an `Accept-Encoding` header that names the encoding with a quality other than zero. */
const ACCEPTS = {
  br: /(?<![\w-])br(?![\w-])(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
  gzip: /(?<![\w-])gzip(?![\w-])(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i,
} as const;

function encodingFor(accepted: string | undefined, { br, gzip }: Resource): Encoding {
  if (accepted === undefined) return 'identity';
  if (br !== null && ACCEPTS.br.test(accepted)) return 'br';
  return gzip !== null && ACCEPTS.gzip.test(accepted) ? 'gzip' : 'identity';
}

const MAX_TAGS = 100;

function matchesTag(header: string, tag: string): boolean {
  if (header === tag) return true;
  return header.split(',', MAX_TAGS).some((item) => {
    const given = item.trim().replace(/^W\//, '');
    return given === '*' || given === tag;
  });
}

interface SendOptions {
  /** Seconds since the content was last known to be current; null if it is current. */
  readonly age?: number | null;
  /** Names and values of additional headers, in alternation. */
  readonly extra?: readonly string[];
}

/**
 * Sends a resource in the best encoding that the client accepts, or a 304 to a client that already has it. Stale
 * content is sent with `Age` and `no-store`, and never as a 304, after which a browser would use the `Age` of its
 * stored response.
 */
export function sendResource(
  response: ServerResponse,
  resource: Resource,
  { age = null, extra = [] }: SendOptions = {},
): void {
  const { headers, method } = response.req;
  const best = variantOf(resource, encodingFor(headers['accept-encoding'], resource));
  const known = headers['if-none-match'];
  if (known !== undefined && age === null) {
    const same = [best, variantOf(resource, 'identity')].find(({ tag }) => matchesTag(known, tag));
    if (same !== undefined) {
      response.writeHead(304, [...same.unchanged, ...extra]).end();
      return;
    }
  }
  let { head } = best;
  if (age !== null) {
    head = head.map((text, at) => (head[at - 1] === 'Cache-Control' ? 'no-store' : text));
    head.push('Age', String(age));
  }
  response.writeHead(resource.status, extra.length === 0 ? head : [...head, ...extra]);
  response.end(method === 'HEAD' ? undefined : best.body);
}
