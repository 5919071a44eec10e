import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { listenOnLoopback } from './loopback.ts';

/** Types by ending, as in the `mime.types` of common servers. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.atom': 'application/atom+xml',
};

/**
 * Serves a folder below `/base/` as any static host does: no query, no headers but the type by the ending, a folder by its
 * `index.html`, and a folder without a slash redirected.
 */
export async function plainHost(folder: string) {
  const { url, close } = await listenOnLoopback(async ({ url = '' }, response) => {
    const path = decodeURIComponent(url.replace(/[?#].*$/, ''));
    const file = join(folder, path.replace(/^\/base/, ''));
    const found = /^\/base(?:\/|$)/.test(path) ? await stat(file).catch(() => null) : null;
    if (found?.isDirectory() && !path.endsWith('/'))
      return response.writeHead(301, { location: `${path}/` }).end();
    const name = found?.isDirectory() ? join(file, 'index.html') : file;
    const content = found === null ? null : await readFile(name).catch(() => null);
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    return response
      .writeHead(content === null ? 404 : 200, { 'content-type': content === null ? 'text/plain' : type })
      .end(content ?? 'Not found');
  });
  return { url: `${url}/base`, close };
}
