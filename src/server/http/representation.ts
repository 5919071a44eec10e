import type { IncomingMessage, ServerResponse } from 'node:http';
import { chooseEncoding, type Encoded, type Encoding } from './encoding.ts';

export type Headers = Readonly<Record<string, string>>;

/** Content with a tag, which is another one in each encoding. */
export interface Representable extends Encoded {
  /** Without quotes. */
  readonly tag: string;
  readonly content: Buffer;
}

/** Content in one encoding with its headers, as they go over the wire. */
interface Representation {
  readonly tag: string;
  /** Names and values in turn. */
  readonly head: string[];
  /** The same for a client that has it. */
  readonly unchanged: string[];
  readonly body: Buffer;
}

type Variant = Encoding | 'identity';
type Variants = Partial<Record<Variant, Representation>>;

/** By what is sent and the headers it is sent with; both forgotten with what is sent. */
const prepared = new WeakMap<Representable, Map<Headers, Variants>>();
/** Headers made anew for each request would fill the memory; there are two or three sets of them. */
const MOST_HEADER_SETS = 8;

const OF_CONTENT = /^content-(?!location|profile)/i;

function toRepresentation(of: Representable, variant: Variant, headers: Headers): Representation {
  const body = (variant === 'identity' ? null : of[variant]) ?? of.content;
  const tag = `"${of.tag}${variant === 'identity' ? '' : `-${variant}`}"`;
  const all = {
    ...headers,
    ETag: tag,
    ...(variant !== 'identity' && { 'Content-Encoding': variant }),
    'Content-Length': String(body.length),
  };
  const unchanged = Object.entries(all).filter(([name]) => !OF_CONTENT.test(name));
  return { tag, head: Object.entries(all).flat(), unchanged: unchanged.flat(), body };
}

interface Dressed<Of extends Representable> {
  /** Of more than this content; to be one object for all requests, or they are laid out anew for each. */
  readonly extraHeaders: Headers;
  readonly headersOf: (of: Of) => Headers;
}

function representationOf<Of extends Representable>(
  of: Of,
  variant: Variant,
  { extraHeaders, headersOf }: Dressed<Of>,
): Representation {
  let sets = prepared.get(of);
  if (sets === undefined || sets.size > MOST_HEADER_SETS) {
    sets = new Map();
    prepared.set(of, sets);
  }
  let variants = sets.get(extraHeaders);
  if (variants === undefined) {
    variants = {};
    sets.set(extraHeaders, variants);
  }
  variants[variant] ??= toRepresentation(of, variant, { ...extraHeaders, ...headersOf(of) });
  return variants[variant];
}

/** Further tags of a header are ignored. */
const MOST_TAGS = 100;

/** True if an `If-None-Match` header names the tag. */
function matchesTag(header: string, tag: string): boolean {
  if (header === tag) return true;
  return header.split(',', MOST_TAGS).some((item) => {
    const given = item.trim().replace(/^W\//, '');
    return given === '*' || given === tag;
  });
}

/**
 * Sends content in the best encoding there is that the client takes, or 304 when it has it so or as it is; HEAD gets the
 * headers only. With an `age` (seconds) it never sends 304: a browser would keep the `Age` with its copy, and show it
 * again after a later 304 that has none.
 */
export function sendRepresentation<Of extends Representable>(
  request: IncomingMessage,
  response: ServerResponse,
  of: Of,
  dressed: Dressed<Of> & { readonly status?: number; readonly age?: number | null },
): void {
  const { status = 200, age = null } = dressed;
  const encoding = chooseEncoding(request.headers['accept-encoding'], of);
  const best = representationOf(of, encoding ?? 'identity', dressed);
  const known = request.headers['if-none-match'];
  if (known !== undefined && age === null) {
    const plain = representationOf(of, 'identity', dressed);
    const same = [best, plain].find(({ tag }) => matchesTag(known, tag));
    if (same !== undefined) {
      response.writeHead(304, same.unchanged).end();
      return;
    }
  }
  response.writeHead(status, age === null ? best.head : [...best.head, 'Age', String(age)]);
  response.end(request.method === 'HEAD' ? undefined : best.body);
}
