import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { type Encoded, encode, NOT_ENCODED } from './encoding.ts';

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

/** Content ready to be sent: nothing of it is made while somebody waits. */
export interface Resource extends Encoded {
  readonly type: string;
  readonly cacheControl: string;
  /** Without quotes; an encoding adds its name. */
  readonly tag: string;
  readonly content: Buffer;
}

const typeOf = (path: string) => TYPES[extname(path).toLowerCase()] ?? UNKNOWN_TYPE;

function describe(path: string, content: Buffer, encoded: Encoded): Resource {
  return {
    type: typeOf(path).type,
    cacheControl: HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    tag: createHash('sha256').update(content).digest('base64url').slice(0, 16),
    content,
    br: encoded.br,
    gzip: encoded.gzip,
  };
}

/** Makes content ready to be sent, text compressed as well as can be; `path` decides type and caching. */
export async function toResource(path: string, content: Buffer): Promise<Resource> {
  return describe(path, content, typeOf(path).isText ? await encode(content, 'best') : NOT_ENCODED);
}

/** What the build wrote beside a file, by the ending it has there. */
const WRITTEN_BESIDE = /\.(br|gz)$/;

/**
 * Every file below a folder by its path from it (`/assets/main-….js`), held in memory: what is not in the
 * map does not exist, so no request can name another file. Compressed are those beside which the build wrote
 * `.br` and `.gz`, which have no path of their own. Throws when the folder cannot be read.
 */
export async function loadClientFiles(folder: string): Promise<Map<string, Resource>> {
  const read = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    read.set(`/${relative(folder, file).split(sep).join('/')}`, await readFile(file));
  }
  const paths = [...read].filter(([path]) => !WRITTEN_BESIDE.test(path));
  const beside = (path: string) => ({
    br: read.get(`${path}.br`) ?? null,
    gzip: read.get(`${path}.gz`) ?? null,
  });
  return new Map(paths.map(([path, content]) => [path, describe(path, content, beside(path))]));
}
