import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { listenOnLoopback } from '#tests/support/loopback.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';

interface HostedFile {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly content: Buffer;
}

/** The files of a folder by their path, compressed once. */
function hosted(folder: string): Map<string, HostedFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, HostedFile>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(path)];
    if (!entry.isFile() || type === undefined) continue;
    const address = `/${relative(folder, path).split(sep).join('/')}`;
    const isPicture = ['image/png', 'image/x-icon'].includes(type);
    const content = isPicture ? readFileSync(path) : brotliCompressSync(readFileSync(path));
    const headers = {
      'Content-Type': type,
      'Content-Length': content.length,
      'Cache-Control': address.startsWith('/assets/') ? IMMUTABLE : 'no-cache',
      ...(isPicture ? {} : { 'Content-Encoding': 'br', Vary: 'Accept-Encoding' }),
    };
    files.set(address === '/index.html' ? '/' : address, { headers, content });
  }
  return files;
}

/** Forwards a request unchanged to another server. */
function passOn(request: IncomingMessage, response: ServerResponse, backend: string): void {
  const { method = 'GET', headers } = request;
  const passed = httpRequest(new URL(request.url ?? '/', backend), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.once('error', () => response.destroy());
  request.pipe(passed);
}

export interface StaticHost {
  readonly url: string;
  /** Serves the built page in the given folder from now on. */
  serve(folder: string): void;
  close(): Promise<void>;
}

/**
 * A static host on a free port: precompressed brotli, files with a digest in their name cached permanently,
 * the others revalidated. With a `backend`, forwards requests below `/rest/` to it.
 */
export async function startStaticHost(backend: string | null): Promise<StaticHost> {
  let files = new Map<string, HostedFile>();
  const { url, close } = await listenOnLoopback((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?');
    if (backend !== null && path.startsWith('/rest/')) {
      passOn(request, response, backend);
      return;
    }
    const file = files.get(path);
    response.writeHead(file === undefined ? 404 : 200, file?.headers);
    response.end(file?.content);
  });
  return {
    url,
    serve: (folder) => {
      files = hosted(folder);
    },
    close,
  };
}
