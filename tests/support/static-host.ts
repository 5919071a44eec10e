import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { listenOnLoopback } from './loopback.ts';

/** Types by ending. The other files of the page are pictures. */
export const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** Files of a site by their path below its folder. */
export type Site = ReadonlyMap<string, string | Buffer>;

/** The files below a folder. */
export function readSite(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}

/** The built page as a static site, with the root of its own host as backend. */
export function builtSite(folder = join(ROOT, 'dist', 'client')): Map<string, string | Buffer> {
  const site = new Map<string, string | Buffer>(
    [...readSite(folder)].map(([path, content]) => {
      const isText = ['.html', '.js', '.css'].includes(extname(path));
      return [path, isText ? content.toString() : content];
    }),
  );
  const json = JSON.stringify({ supabaseUrl: '/', anonKey: 'sb_publishable_test' });
  const element = `<script type="application/json" id="barometer-config">${json}</script>`;
  // The configuration must precede the scripts that read early.
  const told = String(site.get('index.html')).replace(/<!--static-->|<\/head>/, (mark) => element + mark);
  site.set('index.html', told);
  return site;
}

/** The page rebuilt: its files have other names, which the service worker lists. */
export function rebuilt(site: Site, title: string): Map<string, string | Buffer> {
  const hashes = new Set(
    [...site.keys()].flatMap((path) => /^assets\/.*-([\w-]{8})\.\w+$/.exec(path)?.[1] ?? []),
  );
  // All hashes change, because the name of a file stands in the files that import it.
  const rename = (text: string) =>
    [...hashes].reduce((named, hash) => named.replaceAll(`-${hash}.`, `-${hash.slice(1)}${hash[0]}.`), text);
  const renamed = [...site].map(
    ([path, content]) => [rename(path), typeof content === 'string' ? rename(content) : content] as const,
  );
  const next = new Map<string, string | Buffer>(renamed);
  const worker = String(next.get('service-worker.js')).replace(/(build:?"?:"?)[\w-]+/, '$1rebuilt');
  next.set('service-worker.js', worker);
  next.set('index.html', `${String(next.get('index.html'))}<p>${title}</p>`);
  return next;
}

export interface StaticHost {
  /** Address of the page, a folder. */
  url: string;
  site: Site;
  /** Responses to the reads below `/rest/v1/`, with any parameters; a table without rows is empty. */
  tables: Readonly<Record<string, readonly unknown[]>>;
  /** If set, filters the rows of a table by the parameters of the read. */
  select: ((rows: readonly unknown[], asked: URLSearchParams) => readonly unknown[]) | null;
  /** If set, the host responds with this status to requests of a matching path. */
  failing: { status: number; path: RegExp } | null;
  /** Drops the connection instead of responding. */
  down: boolean;
  /** Requested paths below the folder and tables (`rest/v1/…`), in order. */
  asked: string[];
  close: () => Promise<void>;
}

/** Serves a site below a folder such as '/' or '/a/b/', and the tables of its backend, on a free port. */
export async function staticHost(
  site: Site,
  tables: StaticHost['tables'],
  folder = '/',
): Promise<StaticHost> {
  function read(table: string, search: string | undefined): string {
    const rows = host.tables[table] ?? [];
    return JSON.stringify(host.select?.(rows, new URLSearchParams(search)) ?? rows);
  }

  const { url, close } = await listenOnLoopback((request, response) => {
    const [address = '', search] = (request.url ?? '').split('?');
    const table = /^\/rest\/v1\/(\w+)$/.exec(address)?.[1];
    if (host.down || (table === undefined && !address.startsWith(folder))) {
      response.destroy();
      return;
    }
    const path = table === undefined ? address.slice(folder.length) || 'index.html' : address.slice(1);
    host.asked.push(path);
    const content = table === undefined ? host.site.get(path) : read(table, search);
    const failed = host.failing?.path.test(path) ? host.failing.status : null;
    const status = failed ?? (content === undefined ? 404 : 200);
    const type = table === undefined ? (TYPES[extname(path)] ?? 'image/png') : 'application/json';
    response.writeHead(status, {
      'content-type': status === 200 ? type : 'text/html',
      'cache-control': path.startsWith('assets/') ? 'max-age=31536000, immutable' : 'no-cache',
    });
    response.end(status === 200 ? content : 'No.');
  });
  const host: StaticHost = {
    url: `${url}${folder}`,
    site,
    tables,
    select: null,
    failing: null,
    down: false,
    asked: [],
    close,
  };
  return host;
}
