import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { exchange, headerOf, rawRequest } from '../support/raw-http.ts';
import { ask, askInTurn, askTables, leaksOf, rowsOf, type Target } from './target.ts';

const SMUGGLED = 'smuggled@example.org';
const CRLF = '\r\n';

/** Requests with an ambiguous end. Some programs would handle `inner` as a request of its own. */
function ambiguous(path: string, inner: string): Record<string, string> {
  const chunk = `0${CRLF}${CRLF}${inner}`;
  const post = (headers: string, body: string) =>
    `POST ${path} HTTP/1.1${CRLF}Host: 127.0.0.1${CRLF}${headers}${CRLF}${CRLF}${body}`;
  return {
    'a length and chunks': post(`Content-Length: ${chunk.length}${CRLF}Transfer-Encoding: chunked`, chunk),
    'chunks and a length': post(`Transfer-Encoding: chunked${CRLF}Content-Length: 4`, chunk),
    'two lengths': post(`Content-Length: 0${CRLF}Content-Length: ${inner.length}`, inner),
    'two lengths in one': post(`Content-Length: 0, ${inner.length}`, inner),
    'a length with a sign': post('Content-Length: +0', inner),
    'a negative length': post('Content-Length: -1', inner),
    'a length in hexadecimals': post('Content-Length: 0x0', inner),
    'a length with a space in it': post('Content-Length: 0 0', inner),
    'a length out of range': post(`Content-Length: ${'9'.repeat(40)}`, inner),
    'a misspelt coding': post('Transfer-Encoding: xchunked', chunk),
    'chunks that are not last': post('Transfer-Encoding: chunked, identity', chunk),
    'chunks behind a space': post('Transfer-Encoding : chunked', chunk),
    'chunks on a line of their own': post(`Transfer-Encoding:${CRLF} chunked`, chunk),
    'chunks behind a tab of a line': post(`X: y${CRLF}\tTransfer-Encoding: chunked`, chunk),
    'chunks with an invalid size': post('Transfer-Encoding: chunked', `zz${CRLF}${inner}`),
    'chunks with a signed size': post('Transfer-Encoding: chunked', `-1${CRLF}${inner}`),
    'chunks with a size out of range': post('Transfer-Encoding: chunked', `${'f'.repeat(20)}${CRLF}${inner}`),
    'chunks with an endless extension': post('Transfer-Encoding: chunked', `1;${'x'.repeat(40_000)}${CRLF}`),
    'a line that ends in a bare line feed': `POST ${path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 0\n\n${inner}`,
    'a line that ends in a bare carriage return': `POST ${path} HTTP/1.1\rHost: 127.0.0.1\r\r${inner}`,
    'a header without a colon': post('Nothing', inner),
    'a header with a NUL': post('X-Null: a\0b', inner),
    'a header whose name has a space': post('Content Length: 0', inner),
    'no host': `GET ${path} HTTP/1.1${CRLF}${CRLF}${inner}`,
    'an unknown version': `GET ${path} HTTP/9.9${CRLF}Host: a${CRLF}${CRLF}${inner}`,
    'the preface of another version': `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}${inner}`,
    'a TLS handshake': `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${inner}`,
    'an invalid method': `G\0T ${path} HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}${inner}`,
    'a path with a NUL': `GET ${path}\0 HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}${inner}`,
    'a path with a space': `GET ${path} ${inner.slice(0, 40)}`.concat(
      ` HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}${inner}`,
    ),
  };
}

/** Checks that no bytes turn one request into two, and that headers are limited in size. */
export function wireTricks(target: () => Target): void {
  const prefix = () => new URL(target().restUrl).pathname;
  /** The insert that is hidden behind or within another request. */
  const smuggled = () => {
    const body = JSON.stringify({ email: SMUGGLED, is_active: true });
    const headers = [
      ['apikey', target().anonKey],
      ['Content-Type', 'application/json'],
    ] as const;
    return rawRequest('POST', `${prefix()}/email_subscribers`, headers, body);
  };

  describe('requests with an ambiguous end', () => {
    it('are refused without handling the hidden request [T8]', async () => {
      const { anonKey, restUrl } = target();
      const inner = smuggled();
      const path = `${prefix()}/market_metrics?apikey=${anonKey}`;
      const given = await onEach(Object.entries(ambiguous(path, inner)), async ([name, bytes]) => {
        const { answers, isEnded } = await exchange(restUrl, bytes);
        expect(answers.flatMap((answer) => leaksOf(target(), answer))).toEqual([]);
        return { name, isEnded, statuses: answers.map(({ status }) => status) };
      });
      // The server sends one refusal at most and closes the connection.
      expect(
        given.filter(({ statuses }) => statuses.length > 1 || statuses.some((status) => status < 400)),
      ).toEqual([]);
      expect(given.filter(({ isEnded }) => !isEnded)).toEqual([]);
    });

    it('an unexpected body is not handled as a request', async () => {
      const { anonKey, restUrl } = target();
      const inner = smuggled();
      const paths = [
        '/',
        '/healthz',
        '/no-such-file',
        '/og.png',
        `${prefix()}/market_metrics?select=id&limit=1`,
      ];
      const asked = paths.flatMap((path) =>
        ['GET', 'DELETE'].map((method) => rawRequest(method, path, [['apikey', anonKey]], inner)),
      );
      const last = rawRequest('GET', '/healthz', [['Connection', 'close']]);
      const { answers, isEnded } = await exchange(restUrl, asked.join('') + last);
      expect([answers.length, isEnded]).toEqual([asked.length + 1, true]);
      expect(answers.at(-1)?.body.toString()).toMatch(/^ok/);
    });

    it('a request behind one that closes the connection is not handled', async () => {
      // The response to /healthz begins at once. If it had not begun, Node would respond 400 to the second request.
      const closing = rawRequest('GET', '/healthz', [['Connection', 'close']]);
      const { answers, isEnded } = await exchange(target().restUrl, closing + smuggled());
      expect([answers.map(({ status }) => status), isEnded]).toEqual([[200], true]);
    });
  });

  describe('large or unusual heads', () => {
    it('headers or paths of more than 16 KB are refused', async () => {
      const long = 'x'.repeat(17_000);
      const asked = [
        rawRequest('GET', '/', [['X-Long', long]]),
        rawRequest('GET', '/', [[`X-${long}`, '1']]),
        rawRequest(
          'GET',
          '/',
          Array.from({ length: 2_000 }, (_, at) => [`X-Many-${at}`, 'value'] as const),
        ),
        rawRequest('GET', `/${long}`),
        rawRequest('GET', `${prefix()}/market_indices?symbol=eq.${long}`),
        rawRequest('GET', '/', [['Cookie', long]]),
      ];
      const given = await onEach(asked, async (bytes) => {
        const { answers, isEnded } = await exchange(target().restUrl, bytes);
        return [answers.map(({ status }) => status), isEnded];
      });
      expect(given).toEqual(asked.map(() => [[431], true]));
      // A request just within the limit succeeds.
      const { status } = await askTables(
        target(),
        `/market_indices?select=symbol&symbol=eq.${'x'.repeat(15_000)}`,
      );
      expect(status).toBe(200);
    });

    it('hundreds of headers have no effect', async () => {
      const headers = Array.from({ length: 1_000 }, (_, at) => [`X-${at}`, 'v'] as const);
      const answer = await askTables(target(), '/market_metrics?select=id&limit=1', {
        headers: headers.slice(0, 900),
      });
      expect(rowsOf(answer)).toHaveLength(1);
    });

    it('an upgrade, a tunnel or a trace is refused', async () => {
      const upgrade = await ask(target(), target().restUrl, '/', {
        headers: [
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['Upgrade', 'h2c'],
          ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
        ],
      });
      expect([upgrade.status, headerOf(upgrade, 'upgrade')]).toEqual([200, undefined]);
      const tunnel = await exchange(target().restUrl, rawRequest('CONNECT', '127.0.0.1:1'));
      expect(tunnel.answers.map(({ status }) => status).filter((status) => status < 400)).toEqual([]);
      const trace = await ask(target(), target().restUrl, '/', {
        method: 'TRACE',
        headers: [['X-Secret', 'echoed']],
      });
      expect([trace.status, trace.body.includes('echoed')]).toEqual([405, false]);
    });
  });
}

/** Checks that no value becomes a header of the response or a part of a query. */
export function headerInjection(target: () => Target): void {
  const isOurs = () => target().isOurs;
  const prefix = () => new URL(target().restUrl).pathname;

  describe('filter and header injection', () => {
    const BREAKS = [
      '%0d%0aX-Injected:%201',
      '%0aX-Injected:%201',
      '%0dX-Injected:%201',
      '%E5%98%8A%E5%98%8DX-Injected:%201',
      '%00',
      '%c0%8a',
      '%c0%af',
      '%fe%ff',
      '%ed%a0%80',
      '%',
      '%zz',
      '%u000a',
      '\xff\xfe',
      '%F0%9F%92%A9',
    ];

    it('line ends and invalid bytes in a filter add no response header', async () => {
      const asked = BREAKS.flatMap((broken) => [
        `/market_indices?select=symbol&symbol=eq.${broken}`,
        `/market_indices?select=symbol&symbol=in.(${broken},"${broken}")`,
        `/market_indices?select=${broken}`,
        `/market_indices?${broken}=eq.1`,
        `/market_indices?order=${broken}`,
        `/market_indices?limit=${broken}`,
        `/market_indices?select=symbol&limit=1&offset=${broken}`,
        `/${broken}`,
        `/market_indices${broken}`,
      ]);
      const given = await onEach(asked, async (path) => {
        const { status, head } = await askInTurn(target(), path);
        return { path, status, hasBroken: head.split('\r\n').some((line) => /^x-injected/i.test(line)) };
      });
      expect(given.filter(({ hasBroken }) => hasBroken)).toEqual([]);
      // PostgREST fails for invalid UTF-8, without leaking anything.
      if (isOurs()) expect(given.filter(({ status }) => ![200, 400, 404, 416].includes(status))).toEqual([]);
    });

    it('hostile header values change no header of a response', async () => {
      const values = [
        'x\r\n X-Injected: 1',
        "x', (select 1)",
        '\x80\xff',
        '%0d%0aX-Injected: 1',
        '"',
        '{{7*7}}',
        '#{7*7}',
        '() { :; }; echo',
        '../../../etc/passwd',
        '$' + '{jndi:ldap://127.0.0.1:1/a}',
      ];
      const names = [
        'User-Agent',
        'Referer',
        'Origin',
        'Accept-Language',
        'Accept-Encoding',
        'X-Client-Info',
        'Prefer',
        'Range',
        'Range-Unit',
        'If-None-Match',
        'If-Modified-Since',
        'Access-Control-Request-Headers',
        'Access-Control-Request-Method',
        'Content-Type',
        'X-Forwarded-For',
        'Forwarded',
        'Via',
        'Expect',
        'Upgrade',
        'TE',
      ];
      const asked = names.flatMap((name) => values.map((value) => [name, value] as const));
      const given = await onEach(asked, async (header) => {
        const headers = [['apikey', target().anonKey], header] as const;
        const bytes = ['GET', 'OPTIONS'].map((method) =>
          rawRequest(method, `${prefix()}/market_metrics?select=id&limit=1`, headers),
        );
        const answers = await Promise.all(
          bytes.map((one) => exchange(target().restUrl, one, { answers: 1 })),
        );
        const all = answers.flatMap((exchanged) => exchanged.answers);
        return {
          header,
          leaks: all.flatMap((answer) => leaksOf(target(), answer)),
          statuses: all.map(({ status }) => status),
        };
      });
      expect(given.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
      const failed = given.filter(({ statuses }) => statuses.some((status) => status >= 500));
      if (isOurs()) expect(failed).toEqual([]);
      expect(given.filter(({ statuses }) => statuses.length === 0)).toEqual([]);
    });
  });
}
