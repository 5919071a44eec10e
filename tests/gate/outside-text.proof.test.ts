import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRowReader, LONGEST_LINE, readDay, readDecimal } from '#collector/csv/read-table.ts';
import { createProblems } from '#collector/problems.ts';
import { instantOf } from '#collector/providers/alpaca.ts';
import { requestedPause } from '#collector/providers/http-client.ts';
import { createSeriesValidator } from '#collector/providers/validators.ts';
import { isoInstant } from '#database/postgres.ts';
import { classifySmtpFailure } from '#mailer/deliver/smtp.ts';
import { isDeliverable, plainAddress, printable } from '#mailer/safe-text.ts';
import { readToken } from '#mailer/subscribers/token.ts';
import { isEmail, normaliseEmail } from '#queries/subscribe.ts';
import { toDay, toInstant, toName, toNumber, toText } from '#schema/parse.ts';
import { LINK } from '#server/app/subscription-routes.ts';
import { clientAddress, isLocalHostName, parseTrustedProxies } from '#server/http/client-address.ts';
import { sendResource, toResource } from '#server/http/response.ts';
import { createLog } from '#server/log.ts';
import { bearerToken } from '#server/public-key.ts';
import { REST_LIMITS, type RestRequest } from '#server/rest/exchange.ts';

import { parseRequest } from '#server/rest/gate.ts';

import { readBackend } from '#web/app/backend.ts';
import { kindOf } from '#web/service-worker/shell.ts';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

/** Maximum CPU time for one text (ms). */
const LONGEST_STALL_MS = 20;
/** Runs per text. The smallest CPU time counts, since that of the process can include other threads. */
const RUNS = 5;

/** The head of a request has at most 16 KB, which also limits each part of it. */
const HEAD = 16_000;
const BODY = REST_LIMITS.bodyBytes;
const SETTING = 8_192;
/** Length limit of row values, provider responses and SMTP responses, which are matched as a whole. */
const VALUE = 100_000;

const columns = new Map([
  ['id', 'bigint'],
  ['created_at', 'timestamp with time zone'],
  ['email', 'text'],
]);
const gate = {
  tables: new Map([['readings', { name: 'readings', columns, required: [] }]]),
  publicKey: 'key',
};
const ask = (fields: Partial<RestRequest>) =>
  parseRequest(gate, {
    method: 'GET',
    path: '/readings',
    query: '',
    headers: { apikey: 'key' },
    body: new Uint8Array(),
    client: '203.0.113.9',
    ...fields,
  });

/** Encodes each text once, since every parser gets the same texts. */
function once(encode: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const encoded = known.get(text) ?? encode(text);
    known.set(text, encoded);
    return encoded;
  };
}
/** Text that an HTTP header can have. */
const inHeader = once((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '\u00e9'));
/** Text encoded for a query. Omits its middle if the encoding makes it too long. */
const inQuery = once((text) => {
  const encoded = text.replaceAll(/\p{Cs}/gu, '\ufffd').replaceAll(/[^!-~]|[#&;%]/gu, encodeURIComponent);
  return encoded.length <= HEAD ? encoded : encoded.slice(0, HEAD - 9) + encoded.slice(-9);
});

const parameter = (before: string, after = '') =>
  [HEAD, (text: string) => ask({ query: before + inQuery(text) + after })] as const;
const header = (name: string, before = '', fields: Partial<RestRequest> = {}) =>
  [
    HEAD,
    (text: string) =>
      ask({ ...fields, headers: { apikey: 'key', ...fields.headers, [name]: before + inHeader(text) } }),
  ] as const;

const encoded = { br: Buffer.alloc(2), gzip: Buffer.alloc(2) };
const content = toResource(Buffer.alloc(3), {}, { encoded });
const represented = (name: string) =>
  [
    HEAD,
    (text: string) => {
      const req = { headers: { [name]: inHeader(text) } };
      const response = { req, writeHead: () => response, end: () => response };
      sendResource(response as unknown as ServerResponse, content);
    },
  ] as const;

const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' } as IncomingMessage['socket'];
const trusted = parseTrustedProxies('10.0.0.0/8, 192.168.0.0/16, 2001:db8::/32') ?? undefined;
const log = createLog({ write: () => undefined, clock: () => 0, format: 'plain' });

/** Maximum length of a cell: a line without its line break. */
const CELL = LONGEST_LINE - 1;
function readLine(text: string): void {
  const reader = createRowReader('file.csv', () => undefined);
  reader.feed(Buffer.from(text));
  reader.end();
}
function vixValidator() {
  const range = { from: '2026-11-02', to: '2026-11-20', now: Date.UTC(2026, 10, 22) };
  const request = { ...range, series: ['vix_close'], problems: createProblems() } as const;
  return createSeriesValidator(request, { label: 'Cboe', codes: { vix_close: 'the VIX' } });
}
const validated = (add: (validator: ReturnType<typeof vixValidator>, text: string) => void) =>
  [VALUE, (text: string) => add(vixValidator(), text)] as const;

const setting = (name: string, before = '') =>
  [SETTING - before.length, (text: string) => readEnvironment({ [name]: before + text })] as const;

/** Texts that make some patterns backtrack when repeated. */
const PIECES: readonly string[] = [
  ...['(', ')', '+', ' ', '-', '"', "'", ',', '\\', '.', '0', '9', '%', '@', '=', '&', ';', ':', '/', '*'],
  ...['a', 'A', '<', '[', '{', '_', '?', '#', '!', '|', '\t', '\n', '\r\n', '\0', '\u200b', '\u0301'],
  ...['\u00e9', '\u4e2d', '\ud83d', '\udca3', '\u{1f4a3}', 'a@', 'a@a.', 'a.', '.a', '""', '"a', '"a",'],
  ...['a,', '\\"', '\\\\', '\\a', '\\u', '\\ud800', '%2', '%ff', '%22', '%28', '%5C', '(0', '0(', '-(', '( '],
  ...['1.', '.1', '1e', '0x', '1,', '127.', '://', 'a://', 'a:', '::1,', '127.0.0.1,', '[::1],', '10.0.0.1,'],
  ...['::ffff:7f00:1,', 'not.', '(or', 'a(', '*,', 'q=0.', ';q=0.', 'a/b;q=0.1,', 'W/"a",', 'br;q=0.0,'],
  ...['count=', 'count=exact,', 'x-a,', '&a=', 'a=b;', '&apikey=', 'Bearer ', 'confirm/', 'assets/'],
  ...['-aaaaaaaa.', '<script', '<!--', '::', '2026-11-22', '00:00'],
];
/** A pattern that matches a run from its first character backtracks at an end that it rejects. */
const AROUND = [
  ['', ''],
  ['', '!'],
  ['', ' a'],
  ['0', '~'],
  ['"', '~'],
  ['a@', '~'],
] as const;

/** Texts of `length` characters that superlinear patterns take longest to match. */
function* adversarialTexts(length: number): Generator<string> {
  for (const piece of PIECES) {
    const run = piece.repeat(Math.ceil(length / piece.length));
    for (const [begin, end] of AROUND) yield begin + run.slice(0, length - begin.length - end.length) + end;
  }
}

/** Each parser of outside text: the longest text that it receives, in characters, and a call of it. */
const PARSERS: Record<string, readonly [longest: number, read: (text: string) => unknown]> = {
  'a limit': parameter('limit='),
  'an offset': parameter('limit=1&offset='),
  'an order': parameter('order='),
  'a selection': parameter('select='),
  'a list of columns': [
    HEAD,
    (text) => ask({ method: 'POST', query: `columns=${inQuery(text)}`, body: Buffer.from('{"email":""}') }),
  ],
  'a filter': parameter('id='),
  'the name of a filter': parameter('', '=eq.1'),
  'the value of a filter': parameter('created_at=eq.'),
  'the values of a filter': parameter('created_at=in.(', ')'),
  'the values of a filter without an end': parameter('created_at=in.('),
  'the truth value of a filter': parameter('id=is.'),
  'a query': [HEAD, (text) => ask({ query: text })],
  'the name of a table': [HEAD, (text) => ask({ path: `/${inHeader(text)}` })],
  Accept: header('accept'),
  'Accept-Profile': header('accept-profile'),
  Prefer: header('prefer'),
  Range: header('range'),
  apikey: header('apikey'),
  Authorization: header('authorization'),
  'a bearer of a read': header('authorization', 'Bearer '),
  'Content-Type': header('content-type', '', { method: 'POST', body: Buffer.from('{}') }),
  'Access-Control-Request-Headers': header('access-control-request-headers', '', {
    method: 'OPTIONS',
    headers: { origin: 'https://example.org', 'access-control-request-method': 'GET' },
  }),
  'Accept-Encoding': represented('accept-encoding'),
  'If-None-Match': represented('if-none-match'),
  'X-Forwarded-For': [
    HEAD,
    (text) => clientAddress({ headers: { 'x-forwarded-for': inHeader(text) }, socket }, trusted),
  ],
  Host: [HEAD, (text) => isLocalHostName({ headers: { host: inHeader(text) }, socket })],
  'a bearer': [HEAD, bearerToken],
  'a path': [HEAD, (text) => LINK.exec(text)],
  'the path of a link': [HEAD, (text) => LINK.exec(`/unsubscribe/${text}`)],
  'the token of a link': [HEAD, (text) => readToken(Buffer.alloc(32), 'confirm', text)],
  'a body': [BODY, (text) => ask({ method: 'POST', body: Buffer.from(text).subarray(0, BODY) })],
  'a value of a body': [
    BODY,
    (text) => ask({ method: 'POST', body: Buffer.from(JSON.stringify({ email: text })).subarray(0, BODY) }),
  ],
  'a value of the log': [HEAD, (text) => log.error('failed', { reason: text })],
  'a value of the log that is not cut': [2_000, (text) => log.error('failed', { reason: text })],

  'a line of CSV': [CELL, readLine],
  'a number of CSV': [CELL, readDecimal],
  'a day of CSV': [CELL, readDay],
  'a value of a provider': validated((values, text) => values.add('vix_close', '2026-11-20', text)),
  'a day of a provider': validated((values, text) => values.add('vix_close', text, 1)),
  'an instant of a provider': [VALUE, instantOf],
  'the pause that a provider asks for': [
    HEAD,
    (text) => {
      const headers = { 'retry-after': inHeader(text), 'x-ratelimit-reset': inHeader(text) };
      requestedPause(new Response(null, { status: 429, headers }), 0);
    },
  ],

  'an SMTP response': [
    VALUE,
    (text) =>
      classifySmtpFailure(
        { responseCode: 550, permanent: true, response: `550 ${text}` },
        'smtp://localhost',
      ),
  ],
  'a stored address': [BODY, isDeliverable],
  'an address to erase': [BODY, plainAddress],
  'text of a mail': [BODY, printable],
  'an instant of Postgres': [VALUE, isoInstant],

  'an address that a visitor types': [VALUE, normaliseEmail],
  'the pattern of an address': [VALUE, isEmail],
  'a number of a row': [VALUE, toNumber],
  'an instant of a row': [VALUE, toInstant],
  'a day of a row': [VALUE, toDay],
  'text of a row': [VALUE, toText],
  'a name of a row': [VALUE, toName],
  'the configuration of the page': [
    HEAD,
    (text) =>
      readBackend(JSON.stringify({ supabaseUrl: `https://x/${text}`, anonKey: 'key' }), {}, 'https://x/'),
  ],
  'a request in the service worker': [
    HEAD,
    (text) => kindOf({ method: 'GET', url: `https://x/assets/${text}` }, 'https://x/'),
  ],

  HOST: setting('HOST'),
  PORT: setting('PORT'),
  PUBLIC_URL: setting('PUBLIC_URL', 'https://example.org/'),
  DATABASE_URL: setting('DATABASE_URL', 'postgres://'),
  MARKET_PROVIDERS: setting('MARKET_PROVIDERS'),
  ALPACA_URL: setting('ALPACA_URL', 'https://example.org/'),
  METRICS_TOKEN: setting('METRICS_TOKEN'),
  TRUSTED_PROXIES: setting('TRUSTED_PROXIES'),
  WIDGET_SYMBOLS: setting('WIDGET_SYMBOLS'),
  MAIL_FROM: setting('MAIL_FROM'),
  MAIL_POSTAL_ADDRESS: setting('MAIL_POSTAL_ADDRESS'),
  SMTP_URL: setting('SMTP_URL', 'smtp://'),
  SIGNAL_AT: setting('SIGNAL_AT'),
};

/** CPU time of a call (ms). The call may throw. */
function cpuTimeOf(call: () => unknown): number {
  const before = process.cpuUsage();
  try {
    call();
  } catch {
    // A parser may also refuse the text.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The lowest CPU time of several calls (ms). Stops after the first call within the limit. */
function leastTimeOf(call: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > LONGEST_STALL_MS; run += 1)
    least = Math.min(least, cpuTimeOf(call));
  return least;
}

describe('parsers of outside text', () => {
  it.each(Object.entries(PARSERS))(
    `read %s of the longest admitted length within ${LONGEST_STALL_MS} ms [T5]`,
    (_, [longest, read]) => {
      for (const text of adversarialTexts(longest)) {
        const took = leastTimeOf(() => read(text));
        expect(took, `${JSON.stringify(text.slice(0, 12))}\u2026`).toBeLessThanOrEqual(LONGEST_STALL_MS);
      }
    },
  );
});
