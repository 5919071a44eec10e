import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';

/** Headers of every answer. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin',
} as const;

/** The policy of what is no page: nothing runs in it, nothing is fetched by it, nobody frames it. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/** What a visitor would mind most, for none of our pages uses it; frames from elsewhere get nothing that they are not given. */
export const PERMISSIONS = {
  'Permissions-Policy': 'camera=(),microphone=(),geolocation=()',
};

export interface PagePolicy {
  /** Origins beside its own that the page may fetch from. */
  readonly connectSources?: readonly string[];
  /** The scripts written into the page, each by the hash that lets it run. */
  readonly scriptSources?: readonly string[];
  /** The styles written into the page, each by the hash that lets it hold. */
  readonly styleSources?: readonly string[];
}

/** An origin as a source: without a scheme it is met by that of the page, and by https. */
const hostOf = (origin: string) => new URL(origin).host;

/**
 * Headers of the page. Scripts and styles come from our own files only, except those named by their hash. The charting
 * provider may fill frames and objects, and nothing else.
 */
export function pageHeaders(written: PagePolicy): Record<string, string> {
  const { connectSources = [], scriptSources = [], styleSources = [] } = written;
  const provider = hostOf(EMBED_ORIGIN);
  const policy = {
    // Covers images, the manifest and workers too: every further directive makes the first load longer.
    'default-src': "'self'",
    'frame-src': provider,
    // An <object> finds out whether a frame of the provider got anything (see the widgets' probe.ts).
    'object-src': provider,
    'script-src': ["'self'", ...scriptSources].join(' '),
    'style-src': ["'self'", ...styleSources].join(' '),
    ...(connectSources.length > 0 && { 'connect-src': ["'self'", ...connectSources.map(hostOf)].join(' ') }),
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
