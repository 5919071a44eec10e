import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';

/** Headers of every answer. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
} as const;

/** The policy of what is no page: nothing runs in it, nothing is fetched by it, nobody frames it. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/** What of a browser no page of ours ever uses. */
export const PERMISSIONS = {
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

export interface PagePolicy {
  /** Origins beside its own that the page may fetch from. */
  readonly connectSources?: readonly string[];
  /** The scripts written into the page, each by the hash that lets it run. */
  readonly scriptSources?: readonly string[];
  /** The styles written into the page, each by the hash that lets it hold. */
  readonly styleSources?: readonly string[];
}

/**
 * Headers of the page. Scripts and styles come from our own files only, but for those named by their hash; the
 * one thing from elsewhere is the charting provider's frames.
 */
export function pageHeaders(written: PagePolicy): Record<string, string> {
  const { connectSources = [], scriptSources = [], styleSources = [] } = written;
  const policy = {
    // Of the manifest, of requests and, by script-src, of workers too: a line for each is one all visitors wait for.
    'default-src': "'self'",
    'script-src': ["'self'", ...scriptSources].join(' '),
    'style-src': ["'self'", ...styleSources].join(' '),
    'img-src': "'self' data:",
    ...(connectSources.length > 0 && { 'connect-src': ["'self'", ...connectSources].join(' ') }),
    'frame-src': EMBED_ORIGIN,
    // The widgets' own question whether a frame got anything; see their probe.
    'object-src': EMBED_ORIGIN,
    'frame-ancestors': "'none'",
    'form-action': "'self'",
    'base-uri': "'none'",
  };
  return {
    ...COMMON_HEADERS,
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    ...PERMISSIONS,
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  };
}
