import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { type Resource, toResource } from './resource.ts';
import { COMMON_HEADERS, UNFRAMED_HEADERS } from './security-headers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

// The build adds a digest of the content to the name of each asset.
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;

/** The headers of a file by its path. The server adds a Content-Security-Policy to a page. */
export const fileHeaders = (path: string) => ({
  ...(path.endsWith('.html') ? COMMON_HEADERS : UNFRAMED_HEADERS),
  'Cache-Control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  'Content-Type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
});

/** Endings of the names of files that the build has compressed. */
const COMPRESSED = /\.(br|gz)$/;

/**
 * Loads all files below a folder into memory. Their paths, such as `/assets/main-….js`, are the only ones that a
 * request can name. A file that the build has compressed is an encoding of the original file and has no path. Throws if
 * the folder cannot be read.
 */
export async function loadClientFiles(folder: string): Promise<Map<string, Resource>> {
  const read = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    read.set(`/${relative(folder, file).split(sep).join('/')}`, await readFile(file));
  }
  const paths = [...read].filter(([path]) => !COMPRESSED.test(path));
  const encoded = (path: string) => ({
    br: read.get(`${path}.br`) ?? null,
    gzip: read.get(`${path}.gz`) ?? null,
  });
  return new Map(
    paths.map(([path, content]) => [
      path,
      toResource(content, fileHeaders(path), { encoded: encoded(path) }),
    ]),
  );
}
