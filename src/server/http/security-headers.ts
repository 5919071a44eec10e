import { createHash } from 'node:crypto';
import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';

/** Headers of every response. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin',
} as const;

/** Content-Security-Policy of responses other than pages. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/** Our pages use none of these. Frames of other sites have no permission by default. */
export const PERMISSIONS = {
  'Permissions-Policy': 'camera=(),microphone=(),geolocation=()',
};

/** An origin as a source; without a scheme it matches the page's scheme and https. */
const hostOf = (origin: string) => new URL(origin).host;

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;
/** Script types that a browser runs; any other `type` makes the element a data block. */
const RUNS = /^(|module|(text|application)\/javascript)$/i;

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The Content-Security-Policy sources that allow exactly the inline scripts of a page. */
export function inlineScriptSources(html: string): string[] {
  return [...html.matchAll(SCRIPT)].flatMap(([, attributes = '', script = '']) => {
    const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1] ?? '';
    return /\bsrc\s*=/i.test(attributes) || !RUNS.test(type) ? [] : [sourceOf(script)];
  });
}

/** The Content-Security-Policy sources that allow exactly the inline styles of a page. */
export function inlineStyleSources(html: string): string[] {
  return [...html.matchAll(STYLE)].map(([, style = '']) => sourceOf(style));
}

/**
 * Headers of a page. Scripts and styles come from our own files and inline from `html` only. The page may fetch from its own
 * origin and from `connectOrigins`. The charting provider may fill frames and objects, and nothing else.
 */
export function pageHeaders(html: string, connectOrigins: readonly string[] = []): Record<string, string> {
  const provider = hostOf(EMBED_ORIGIN);
  const policy = {
    // Covers images, the manifest and workers as well, because each further directive adds bytes to the first load.
    'default-src': "'self'",
    'frame-src': provider,
    // An <object> detects whether the provider's frame loaded (see the widgets' probe.ts).
    'object-src': provider,
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
