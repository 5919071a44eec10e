import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { listenOnLoopback } from '#tests/support/loopback.ts';
import { type Site, TYPES } from '#tests/support/static-host.ts';

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

const isText = (path: string) => extname(path) in TYPES;

export interface StaticHost {
  readonly url: string;
  /** Serves the files of a built page from now on. */
  serve(files: Site): void;
  close(): Promise<void>;
}

/**
 * A static host on a free port: precompressed brotli, files with a digest in their name cached permanently,
 * the others revalidated. With a `backend`, forwards requests below `/rest/` to it.
 */
export async function startStaticHost(backend: string | null): Promise<StaticHost> {
  let site: Site = new Map();
  const { url, close } = await listenOnLoopback((request, response) => {
    const [path = ''] = (request.url ?? '/').slice(1).split('?');
    if (backend !== null && path.startsWith('rest/')) {
      passOn(request, response, backend);
      return;
    }
    const name = path || 'index.html';
    const content = site.get(name);
    response.writeHead(content === undefined ? 404 : 200, {
      'Content-Type': TYPES[extname(name)] ?? 'image/png',
      'Content-Length': content?.length ?? 0,
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(isText(name) && { 'Content-Encoding': 'br', Vary: 'Accept-Encoding' }),
    });
    response.end(content);
  });
  return {
    url,
    serve: (files) => {
      const compressed = [...files].map(
        ([path, content]) => [path, isText(path) ? brotliCompressSync(content) : content] as const,
      );
      site = new Map(compressed);
    },
    close,
  };
}
