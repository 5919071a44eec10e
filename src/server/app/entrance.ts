import { createHmac } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RateLimit } from '../http/rate-limit.ts';
import { readBody } from '../http/read-body.ts';
import { acceptsPage, send, sendText } from '../http/response.ts';
import { homeFrom, NOTICE_HEADERS, renderNotice } from '../page/notice-page.ts';
import { isSameKey } from '../public-key.ts';

/** Passwords that one client may try per second. The limiter allows the guesses of ten seconds at once. */
const GUESSES_PER_SECOND = 0.5;
const MANY_GUESSES = 'A client enters too many wrong passwords. It gets 429 until it slows down.';
const COOKIE_SECONDS = 30 * 86_400;
const COOKIE = 'barometer_visitor';
/** Maximum length of a posted form (bytes). */
const LONGEST_FORM = 8_192;

const PRIVATE = 'This page is private. Open it in a browser and enter its password.';
const WRONG = 'The password is wrong.';
const TOO_MANY = 'There were too many wrong passwords from your network. Try again in a minute.';
const STRANGER = { 'WWW-Authenticate': 'Cookie realm="page"' };

interface EntranceOptions {
  readonly password: string;
  /** The key that signs cookies, the same in all processes. */
  readonly signingKey: Uint8Array;
  readonly productName: string;
  /** The address at which visitors reach the page; null if it is not configured. */
  readonly publicUrl: string | null;
  readonly now: () => number;
  readonly limitOf: (perSecond: number, reason: string) => RateLimit;
}

/** The same text for all ways to type it, without the line breaks that a browser removes and without spaces around it. */
const normalised = (text: string) =>
  text
    .normalize('NFC')
    .replace(/[\r\n]/g, '')
    .trim();

const cookieIn = (header: string | undefined): string | null =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1) ?? null;

/** Allows only the visitor's own browser to store a response. */
function keptPrivate(name: string, value: OutgoingHttpHeader): OutgoingHttpHeader {
  if (name.toLowerCase() !== 'cache-control' || /no-store/.test(String(value))) return value;
  return `private, ${String(value).replace(/public,? ?|s-maxage=\d+,? ?/g, '')}`;
}

/** Directives for shared caches, which must not store a private page. */
const FOR_SHARED_CACHES = /^(?:cdn|surrogate)-(?:cache-)?control$/i;

/** The entrance of a private page: a form asks for the password, and a signed cookie lets the browser in for 30 days. */
export function createEntrance(options: EntranceOptions) {
  const { signingKey, productName, publicUrl, now } = options;
  const guesses = options.limitOf(GUESSES_PER_SECOND, MANY_GUESSES);
  const password = normalised(options.password);
  const isSecure = publicUrl?.startsWith('https:') === true;

  const signatureOf = (end: string) =>
    createHmac('sha256', signingKey).update(`visitor:${end}:${password}`).digest('base64url');

  function isValid(cookie: string | null): boolean {
    const [, end = '', signature = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
    return Number(end) * 1_000 > now() && isSameKey(signature, signatureOf(end));
  }

  function newCookie(): string {
    const end = String(Math.floor(now() / 1_000) + COOKIE_SECONDS);
    const secure = isSecure ? '; Secure' : '';
    return `${COOKIE}=${end}.${signatureOf(end)}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  }

  return {
    /** True if the request has the cookie of a visitor who knows the password. */
    admits: ({ headers }: IncomingMessage) => isValid(cookieIn(headers.cookie)),

    /** Responds 401 with a form, or with a cookie to the right password. */
    async ask(
      request: IncomingMessage,
      response: ServerResponse,
      { path, query }: { path: string; query: string },
    ): Promise<void> {
      const refuse = (status: number, text: string, headers = {}) => {
        if (!acceptsPage(request)) return sendText(response, status, text, headers);
        const notice = { title: 'Private page', paragraphs: [text], password: 'Password', button: 'Open' };
        const page = renderNotice(notice, { productName, home: homeFrom(path) });
        return send(response, status, { ...NOTICE_HEADERS, ...headers }, page);
      };
      const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
      const isPost = request.method === 'POST';
      // A body that nobody reads ends the connection, unless it is known to be short.
      const isShort = Number(request.headers['content-length']) <= LONGEST_FORM;
      const unread = isPost && !isShort ? { Connection: 'close' } : {};
      if (!isPost || !isForm) {
        return refuse(401, acceptsPage(request) ? 'Enter the password.' : PRIVATE, {
          ...STRANGER,
          ...unread,
        });
      }
      if (guesses.isOver(request)) return refuse(429, TOO_MANY, { 'Retry-After': '60', ...unread });
      const body = await readBody(request, LONGEST_FORM);
      const given = new URLSearchParams(Buffer.from(body ?? []).toString()).get('password') ?? '';
      if (!isSameKey(normalised(given), password)) return refuse(401, WRONG, STRANGER);
      // Relative to the requested address, so that it never leads to another site.
      const place = `./${path.slice(path.lastIndexOf('/') + 1)}${query === '' ? '' : `?${query}`}`;
      const headers = { ...NOTICE_HEADERS, 'Set-Cookie': newCookie(), Location: place };
      return send(response, 303, headers, '');
    },

    /** Keeps a response out of shared caches and search engines. */
    protect(response: ServerResponse): void {
      const writeHead = response.writeHead.bind(response) as (
        status: number,
        head?: OutgoingHttpHeaders | OutgoingHttpHeader[],
      ) => typeof response;
      response.setHeader('X-Robots-Tag', 'noindex');
      response.writeHead = ((status: number, head?: OutgoingHttpHeaders | OutgoingHttpHeader[]) => {
        const pairs = Array.isArray(head)
          ? head.flatMap((name, at) => (at % 2 === 0 ? [[String(name), head[at + 1] ?? '']] : []))
          : Object.entries(head ?? {});
        const kept = (pairs as [string, OutgoingHttpHeader][]).flatMap(
          ([name, value]): [string, OutgoingHttpHeader][] =>
            FOR_SHARED_CACHES.test(name) ? [] : [[name, keptPrivate(name, value)]],
        );
        return writeHead(status, Object.fromEntries(kept));
      }) as typeof response.writeHead;
    },
  };
}

export type Entrance = ReturnType<typeof createEntrance>;
