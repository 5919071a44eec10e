import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Encoding, encode } from './encoding.ts';

const TYPES: Readonly<Record<string, { type: string; isText: boolean }>> = {
  '.html': { type: 'text/html; charset=utf-8', isText: true },
  '.js': { type: 'text/javascript; charset=utf-8', isText: true },
  '.css': { type: 'text/css; charset=utf-8', isText: true },
  '.json': { type: 'application/json; charset=utf-8', isText: true },
  '.map': { type: 'application/json; charset=utf-8', isText: true },
  '.webmanifest': { type: 'application/manifest+json; charset=utf-8', isText: true },
  '.svg': { type: 'image/svg+xml; charset=utf-8', isText: true },
  '.txt': { type: 'text/plain; charset=utf-8', isText: true },
  '.xml': { type: 'application/xml; charset=utf-8', isText: true },
  '.ico': { type: 'image/x-icon', isText: false },
  '.png': { type: 'image/png', isText: false },
  '.jpg': { type: 'image/jpeg', isText: false },
  '.webp': { type: 'image/webp', isText: false },
  '.woff2': { type: 'font/woff2', isText: false },
};
const UNKNOWN_TYPE = { type: 'application/octet-stream', isText: false };

// Vite puts the digest of a file's content into its name.
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const SMALLEST_TO_COMPRESS = 600;

/** Content ready to be sent. */
export interface Resource {
  readonly type: string;
  readonly cacheControl: string;
  /** Without quotes; an encoding adds its name. */
  readonly tag: string;
  readonly content: Buffer;
  /** The content in an encoding, computed when first asked for; null when it is not worth it. */
  readonly encoded: ((encoding: Encoding) => Promise<Buffer>) | null;
}

/** Makes content ready to be sent; `path` decides type and caching. */
export function toResource(path: string, content: Buffer): Resource {
  const { type, isText } = TYPES[extname(path).toLowerCase()] ?? UNKNOWN_TYPE;
  const compressed = new Map<Encoding, Promise<Buffer>>();
  const encoded = (encoding: Encoding) => {
    const known = compressed.get(encoding);
    if (known !== undefined) return known;
    const fresh = encode(content, encoding);
    compressed.set(encoding, fresh);
    return fresh;
  };
  return {
    type,
    cacheControl: HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    tag: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    content,
    encoded: isText && content.length >= SMALLEST_TO_COMPRESS ? encoded : null,
  };
}

/**
 * Every file below a folder by its path from it (`/assets/main-….js`), held in memory: what is not in the
 * map does not exist, so no request can name another file. Throws when the folder cannot be read.
 */
export async function loadClientFiles(folder: string): Promise<Map<string, Resource>> {
  const files = new Map<string, Resource>();
  async function load(below: string): Promise<void> {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory()) await load(path);
      else if (entry.isFile()) files.set(path, toResource(path, await readFile(join(folder, path))));
    }
  }
  await load('');
  return files;
}
