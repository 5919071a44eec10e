import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

type Headers = Readonly<Record<string, string>>;

const FOREVER: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const OVER_TLS_ALONE: Headers = { 'Strict-Transport-Security': 'max-age=31536000' };

/** The headers that Barometer's server sends with a page, for a page that reads from other origins. */
type HeadersOf = (html: string, origins: readonly string[]) => Headers;

/** The file `_headers` that Netlify and Cloudflare Pages read. */
function forNetlify(headers: Headers): string {
  const lines = (path: string, of: Headers) =>
    [path, ...Object.entries(of).map(([name, value]) => `  ${name}: ${value}`)].join('\n');
  return `${lines('/*', headers)}\n${lines('/assets/*', FOREVER)}\n`;
}

function forVercel(headers: Headers): string {
  const rule = (source: string, of: Headers) => ({
    source,
    headers: Object.entries(of).map(([key, value]) => ({ key, value })),
  });
  return `${JSON.stringify({ headers: [rule('/(.*)', headers), rule('/assets/(.*)', FOREVER)] }, null, 2)}\n`;
}

function forNginx(headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `add_header ${name} "${value}" always;\n`);
  return lines.join('');
}

/**
 * Writes the headers of a built page beside it, for each kind of host in deploy/static, if the build knows its
 * backend. The content security policy among them has the hashes of this page's inline content.
 */
export function staticHeaders(headersOf: HeadersOf): Plugin {
  let backend = '';
  return {
    name: 'static-headers',
    apply: 'build',
    configResolved({ env }) {
      backend = String(env.VITE_SUPABASE_URL ?? '').trim();
    },
    writeBundle({ dir = '' }) {
      // Without a backend, the page is served by Barometer's server, or shows that it is not configured.
      if (backend === '') return;
      const html = readFileSync(join(dir, 'index.html'), 'utf8');
      const headers = { ...headersOf(html, [new URL(backend).origin]), ...OVER_TLS_ALONE };
      writeFileSync(join(dir, '_headers'), forNetlify(headers));
      writeFileSync(join(dir, 'vercel.json'), forVercel(headers));
      writeFileSync(join(dir, 'nginx-headers.conf'), forNginx(headers));
    },
  };
}
