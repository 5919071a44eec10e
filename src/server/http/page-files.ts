import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { compressedResource, type Resource, toResource } from './response.ts';
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

const COMPRESSED = /\.(br|gz)$/;

const PAGE = '/index.html';
const MANIFEST = '/manifest.webmanifest';

/** Loads the built page into memory, with its compressed files as encodings. Throws if there is no page. */
export async function loadBuiltPage(folder: string, productName: string) {
  const read = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    read.set(`/${relative(folder, file).split(sep).join('/')}`, await readFile(file));
  }
  const html = read.get(PAGE)?.toString();
  if (html === undefined) throw new Error('The built page is missing. Build it with npm run build.');
  const paths = [...read].filter(([path]) => !COMPRESSED.test(path) && path !== PAGE);
  const encoded = (path: string) => ({
    br: read.get(`${path}.br`) ?? null,
    gzip: read.get(`${path}.gz`) ?? null,
  });
  const files = new Map<string, Resource>(
    paths.map(([path, content]) => [
      path,
      toResource(content, fileHeaders(path), { encoded: encoded(path) }),
    ]),
  );
  const manifest = files.get(MANIFEST);
  if (manifest !== undefined) {
    const names = { name: `${productName} Dashboard`, short_name: productName };
    const text = JSON.stringify({ ...JSON.parse(manifest.content.toString()), ...names }, null, 2);
    files.set(MANIFEST, await compressedResource(`${text}\n`, fileHeaders(MANIFEST)));
  }
  return { html, files };
}
