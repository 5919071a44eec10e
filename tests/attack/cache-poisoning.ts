import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { headerOf, type RawAnswer } from '../support/raw-http.ts';
import { ask, askTables, type Target } from './target.ts';

type Header = readonly [name: string, value: string];

const MARK = 'poison.example';

/** Headers that some proxy, framework or cache trusts; the server must trust none of them. */
const UNKEYED: readonly Header[] = [
  ['Host', MARK],
  ['X-Forwarded-Host', MARK],
  ['X-Host', MARK],
  ['X-Forwarded-Server', MARK],
  ['X-HTTP-Host-Override', MARK],
  ['Forwarded', `host=${MARK};proto=http`],
  ['X-Original-URL', `/${MARK}`],
  ['X-Rewrite-URL', `/${MARK}`],
  ['X-Original-Host', MARK],
  ['X-Forwarded-Prefix', `/${MARK}`],
  ['X-Forwarded-Path', `/${MARK}`],
  ['X-Forwarded-Scheme', 'nothttps'],
  ['X-Forwarded-Proto', 'http'],
  ['X-Forwarded-Port', '1'],
  ['X-Forwarded-For', MARK],
  ['X-Real-IP', MARK],
  ['True-Client-IP', MARK],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-HTTP-Method', 'POST'],
  ['X-Method-Override', 'HEAD'],
  ['Referer', `https://${MARK}/`],
  ['User-Agent', MARK],
  ['Cookie', `a=${MARK}`],
  ['Accept-Language', MARK],
  ['X-Amz-Website-Redirect-Location', `https://${MARK}/`],
  ['X-Middleware-Subrequest', 'middleware'],
  ['Save-Data', 'on'],
  ['DNT', '1'],
  ['Sec-CH-UA-Mobile', '?1'],
  ['Authorization', `Bearer ${MARK}`],
];

/** Headers that a response may depend on if its Vary names them. */
const KEYED: readonly Header[] = [
  ['Accept', 'application/vnd.pgrst.object+json'],
  ['Accept', 'text/csv'],
  ['Accept-Encoding', 'gzip'],
  ['Accept-Encoding', 'br'],
  ['Accept-Profile', 'public'],
  ['Accept-Profile', 'mailer'],
  ['Content-Profile', 'mailer'],
  ['Origin', `https://${MARK}`],
  ['Origin', 'null'],
  ['Prefer', 'count=exact'],
  ['Prefer', 'handling=strict'],
  ['Range', '0-0'],
  ['Range', 'bytes=0-10'],
  ['If-None-Match', '*'],
  ['If-Range', '"x"'],
  ['If-Match', '"x"'],
  ['If-Modified-Since', 'Sat, 01 Jan 2050 00:00:00 GMT'],
  ['Cache-Control', 'no-cache, max-age=0'],
  ['Pragma', 'no-cache'],
];

/** The parts of a response that a cache would store; without its date and its Connection header. */
const stored = ({ status, headers, body }: RawAnswer) => ({
  status,
  headers: headers.filter(([name]) => !['date', 'age', 'connection', 'keep-alive'].includes(name)),
  body: body.toString('latin1'),
});

const isCacheable = (answer: RawAnswer) => !/no-store|private/.test(headerOf(answer, 'cache-control') ?? '');

/** Checks that nothing sent by one visitor reaches the next one. */
export function cachePoisoning(target: () => Target): void {
  describe('cache poisoning', () => {
    const table = '/sector_strength?select=id,sector&order=id&limit=3';
    const places: Record<string, (headers: readonly Header[]) => Promise<RawAnswer>> = {
      'a read': (headers) => askTables(target(), table, { headers }),
      'a file': (headers) => ask(target(), target().pageUrl, '/icon.svg', { headers }),
      'the manifest': (headers) => ask(target(), target().pageUrl, '/manifest.webmanifest', { headers }),
      'the share image': (headers) => ask(target(), target().pageUrl, '/og.png', { headers }),
      'an unknown path': (headers) => ask(target(), target().pageUrl, '/not-there', { headers }),
      'a link': (headers) => ask(target(), target().pageUrl, '/unsubscribe/x', { headers }),
    };

    it.each(Object.keys(places))('%s does not depend on headers of an earlier visitor', async (name) => {
      const open = places[name] as (headers: readonly Header[]) => Promise<RawAnswer>;
      const clean = stored(await open([]));
      const given = await onEach([...UNKEYED, ...KEYED], async (header) => ({
        header,
        answer: await open([header]),
      }));
      for (const { header, answer } of given) {
        expect([header, answer.head.includes(MARK), answer.body.includes(MARK)]).toEqual([
          header,
          false,
          false,
        ]);
        // If a header changes a cacheable response, the response must name that header in Vary.
        const isOther = JSON.stringify(stored(answer)) !== JSON.stringify(clean) && answer.status !== 304;
        const vary = (headerOf(answer, 'vary') ?? '').toLowerCase().split(', ');
        if (isOther && isCacheable(answer))
          expect([header, vary.includes(header[0].toLowerCase())]).toEqual([header, true]);
      }
      expect(stored(await open([]))).toEqual(clean);
    });

    it('the page contains no part of a request [T9]', async () => {
      const { pageUrl } = target();
      const paths = [
        '/',
        '/index.html',
        `/?${MARK}`,
        `/?utm_content=${MARK}`,
        `/?q="><script>${MARK}</script>`,
        `/index.html?cb=${MARK}`,
      ];
      const [page = ''] = paths;
      // Trust in a header does not depend on the query string.
      const asked: { path: string; headers: readonly Header[] }[] = [
        ...paths.map((path) => ({ path, headers: [] })),
        ...[...UNKEYED, ...KEYED].map((header) => ({ path: page, headers: [header] })),
      ];
      const given = await onEach(asked, async ({ path, headers }) => {
        const answer = await ask(target(), pageUrl, path.replaceAll(/["<>]/g, encodeURIComponent), {
          headers,
        });
        return {
          path,
          headers,
          status: answer.status,
          text: answer.head + answer.body.toString(),
          policy: headerOf(answer, 'content-security-policy'),
        };
      });
      expect(
        given
          .filter(({ status }) => status !== 200 && status !== 304)
          .map(({ path, headers }) => [path, headers]),
      ).toEqual([]);
      expect(
        given.filter(({ text }) => text.includes(MARK)).map(({ path, headers }) => [path, headers]),
      ).toEqual([]);
      // All visitors get the same content security policy.
      expect(new Set(given.filter(({ status }) => status === 200).map(({ policy }) => policy)).size).toBe(1);
    });

    it('no cache stores a refusal, a partial response or a private response', async () => {
      const answers = [
        await askTables(target(), table, { key: 'x' }),
        await askTables(target(), '/email_subscribers'),
        await askTables(target(), '/market_metrics?nope=eq.1'),
        await askTables(target(), '/nope'),
        await askTables(target(), `${table}`, {
          headers: [
            ['Range', '0-0'],
            ['Prefer', 'count=exact'],
          ],
        }),
        await askTables(target(), '/email_subscribers', { method: 'POST', body: '{}' }),
        await ask(target(), target().pageUrl, '/not-there'),
        await ask(target(), target().pageUrl, '/', { method: 'POST', body: '' }),
        await ask(target(), target().pageUrl, '/unsubscribe/x'),
        await ask(target(), target().pageUrl, '/healthz'),
        await ask(target(), target().pageUrl, '/readyz'),
        await ask(target(), target().pageUrl, '/metrics'),
      ];
      expect(answers.filter(isCacheable).map(({ head }) => head)).toEqual([]);
    });

    it('a path below a cacheable path never returns the response of that path', async () => {
      const paths = [
        '/index.html/x.css',
        '/x.css/..%2findex.html',
        '/;x.js',
        '/icon.svg/',
        '/icon.svg/x',
        '/unsubscribe/x/y.css',
        '/rest/v1/market_metrics/x.js',
        '/index.html%23x.css',
        '/?x.css',
        '/icon.svg;.html',
      ];
      const given = await onEach(paths, async (path) => [
        path,
        (await ask(target(), target().pageUrl, path)).status,
      ]);
      expect(
        given
          .filter(([path, status]) => status !== 404 && path !== '/?x.css')
          .map(([path, status]) => [path, status]),
      ).toEqual([['/rest/v1/market_metrics/x.js', 401]]);
    });
  });
}
