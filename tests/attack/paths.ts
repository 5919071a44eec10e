import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { exchange, headerOf, rawRequest } from '../support/raw-http.ts';
import { ask, leaksOf, type Target } from './target.ts';

const FILES = [
  'etc/passwd',
  'proc/self/environ',
  'package.json',
  '.env',
  'server/barometer.js',
  'server/embedded-worker.js',
  '.git/config',
  '.barometer/database/PG_VERSION',
  'database/PG_VERSION',
];
const UPWARDS = [
  '/..',
  '/../..',
  '/../../..',
  '/%2e%2e',
  '/%2e%2e/%2e%2e',
  '/..%2f..',
  '/..%2f..%2f..',
  '/%2e%2e%2f%2e%2e',
  '/..%5c..',
  '/..\\..',
  '/%252e%252e/%252e%252e',
  '/..%c0%af..',
  '/%c0%ae%c0%ae',
  '/.%00./',
  '/....//....//',
  '/assets/../..',
  '/assets/..%2f..',
  '/assets/%2e%2e/%2e%2e',
  '/;/..',
  '/..;',
  '//',
  '///etc/..',
  '/./..',
];

/** Ways to write an address that a proxy, a cache and a server might take for different ones. */
const SPELLINGS = [
  '/INDEX.HTML',
  '/index.html/',
  '/index.html%20',
  '/index.html%00',
  '/index.html%00.css',
  '/index.html;x=1',
  '/index.html/../healthz',
  '/%69ndex.html',
  '//',
  '///',
  '//evil.example',
  '//evil.example/..',
  '/\\evil.example',
  '/%5cevil.example',
  '/%2f%2fevil.example',
  '/%09/evil.example',
  '/.//evil.example',
  '/http://evil.example',
  '/?url=//evil.example',
  '/.',
  '/..',
  '/%2e',
  '/%20',
  '/~',
  '/*',
  '/robots.txt/..',
  '/metrics/',
  '/%6detrics',
  '//metrics',
  '/metrics%00',
  '/rest',
  '/rest/',
  '/rest/v1',
  '/rest/v1/',
  '/rest/v1//',
  '/rest/v1/../../',
  '/REST/V1/market_metrics',
  '/rest/v1/market_metrics/',
  '/rest/v1//market_metrics',
  '/rest/v1/./market_metrics',
  '/rest/v1/..%2fmarket_metrics',
  '/rest%2fv1/market_metrics',
  '/rest/v2/market_metrics',
  '/server-status',
  '/debug',
  '/.well-known/security.txt',
  '/unsubscribe/../',
  '/confirm/..%2f',
] as const;

/** Checks that a path reaches only its own resource and nothing else on the machine. */
export function pathTricks(target: () => Target): void {
  describe('manipulated paths', () => {
    const page = () => target().pageUrl;

    it('no path leaves the folder of the page [T3]', async () => {
      const paths = UPWARDS.flatMap((up) => FILES.map((file) => `${up}/${file}`));
      const given = await onEach(
        paths,
        async (path) => [path, (await ask(target(), page(), path)).status] as const,
      );
      expect(given.filter(([, status]) => status !== 404)).toEqual([]);
    });

    it('no other spelling of a path reaches a resource', async () => {
      const given = await onEach(SPELLINGS, async (path) => {
        const answer = await ask(target(), page(), path);
        return { path, status: answer.status, caching: headerOf(answer, 'cache-control') ?? '' };
      });
      const answered = given.filter(({ status }) => status !== 404 && status !== 401);
      expect(answered.map(({ path }) => path)).toEqual(['/?url=//evil.example']);
      // A cache that treats two spellings as one must not store a refusal.
      expect(
        given.filter(({ status, caching }) => status >= 400 && !['no-store', ''].includes(caching)),
      ).toEqual([]);
    });

    it('an absolute URL, an asterisk or a host in place of the path is refused', async () => {
      const asked = [
        rawRequest('GET', 'http://evil.example/'),
        rawRequest('GET', 'http://127.0.0.1/rest/v1/market_metrics'),
        rawRequest('GET', 'https://evil.example/index.html'),
        rawRequest('OPTIONS', '*'),
        rawRequest('GET', '*'),
        rawRequest('GET', 'evil.example:80'),
        rawRequest('GET', '\\'),
        rawRequest('GET', '?'),
        rawRequest('GET', '#'),
        rawRequest('GET', '/#/../../etc/passwd'),
        rawRequest('GET', '@evil.example/'),
      ];
      const given = await onEach(asked, async (bytes) => {
        const { answers } = await exchange(page(), bytes, { answers: 1 });
        return {
          bytes: bytes.slice(0, 60),
          statuses: answers.map(({ status }) => status),
          leaks: answers.flatMap((answer) => leaksOf(target(), answer)),
        };
      });
      expect(
        given.filter(
          ({ statuses }) => statuses.length !== 1 || statuses.some((status) => status < 400 || status >= 500),
        ),
      ).toEqual([]);
      expect(given.flatMap(({ leaks }) => leaks)).toEqual([]);
    });

    it('no method but GET and HEAD reaches a page or a file', async () => {
      const methods = [
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'MKCOL',
        'MOVE',
        'PURGE',
      ];
      const asked = methods.flatMap((method) =>
        ['/', '/index.html', '/healthz', '/readyz', '/metrics', '/og.png', '/icon.svg', '/no-such-file'].map(
          (path) => ({ method, path }),
        ),
      );
      const given = await onEach(asked, async ({ method, path }) => ({
        method,
        path,
        status: (await ask(target(), page(), path, { method, body: '{}' })).status,
      }));
      expect(given.filter(({ status }) => status !== 405)).toEqual([]);
    });
  });
}
