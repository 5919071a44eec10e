import { createHash } from 'node:crypto';
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';

/** Headers of every response. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin',
} as const;

/** The headers of a response without a Content-Security-Policy: no site may frame it. */
export const UNFRAMED_HEADERS = { ...COMMON_HEADERS, 'X-Frame-Options': 'DENY' } as const;

/** Content-Security-Policy of responses other than pages. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/** Our pages use none of these features. By default, a browser allows no features to frames of other sites. */
export const PERMISSIONS = {
  'Permissions-Policy': 'camera=(),microphone=(),geolocation=()',
};

/** Returns an origin as a Content-Security-Policy source, which matches the page's scheme and https. */
const hostOf = (origin: string) => new URL(origin).host;

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;
/** Script types that a browser runs; any other `type` makes the element a data block. */
const RUNS = /^(|module|(text|application)\/javascript)$/i;

/** Returns the Content-Security-Policy source of an inline script or style. */
export const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Returns the Content-Security-Policy sources that allow the inline scripts of a page and no others. */
export function inlineScriptSources(html: string): string[] {
  return [...html.matchAll(SCRIPT)].flatMap(([, attributes = '', script = '']) => {
    const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1] ?? '';
    return /\bsrc\s*=/i.test(attributes) || !RUNS.test(type) ? [] : [hashSource(script)];
  });
}

/** Returns the Content-Security-Policy sources that allow the inline styles of a page and no others. */
export function inlineStyleSources(html: string): string[] {
  return [...html.matchAll(STYLE)].map(([, style = '']) => hashSource(style));
}

/** Headers of a page: our own files, and only the inline scripts and styles of `html`. `hasFrames` admits the charts. */
export function pageHeaders(
  html: string,
  connectOrigins: readonly string[] = [],
  hasFrames = true,
): Record<string, string> {
  const policy = {
    // Also applies to images, the manifest and workers. A directive for each of them would add bytes to the first load.
    'default-src': "'self'",
    'frame-src': hasFrames ? hostOf(EMBED_ORIGIN) : "'none'",
    'object-src': "'none'",
    'script-src': ["'self'", ...inlineScriptSources(html)].join(' '),
    'style-src': ["'self'", ...inlineStyleSources(html)].join(' '),
    ...(connectOrigins.length > 0 && { 'connect-src': ["'self'", ...connectOrigins.map(hostOf)].join(' ') }),
    'frame-ancestors': "'none'",
    'form-action': "'self'",
    'base-uri': "'none'",
  };
  return {
    ...COMMON_HEADERS,
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join(';'),
    ...PERMISSIONS,
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  };
}

/** Headers of a page with this stylesheet, our own images, scripts of these sources, and nothing from other sites. */
export function documentHeaders(style: string, scripts: readonly string[] = []) {
  return {
    ...COMMON_HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${hashSource(style)}`,
      "img-src 'self'",
      ...(scripts.length > 0 ? [`script-src ${scripts.join(' ')}`] : []),
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join(';'),
    ...PERMISSIONS,
    'Cross-Origin-Opener-Policy': 'same-origin',
  } as const;
}

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

const HSTS = 'Strict-Transport-Security';
/** Valid for a year, for this host but not for its subdomains. */
const HSTS_VALUE = 'max-age=31536000';

const secured = (head: Head) =>
  Array.isArray(head) ? [...head, HSTS, HSTS_VALUE] : { ...head, [HSTS]: HSTS_VALUE };

/** Adds Strict-Transport-Security. It is the class of the listener's responses, so that no route omits the header. */
export class HstsResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, reasonOrHead?: string | Head, head?: Head): this {
    if (typeof reasonOrHead === 'string') return super.writeHead(status, reasonOrHead, secured(head));
    return super.writeHead(status, secured(reasonOrHead));
  }
}
