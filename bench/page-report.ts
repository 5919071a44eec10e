/** The parts of a Lighthouse report that the benchmark reads. */
export interface LighthouseReport {
  readonly runtimeError?: { readonly code: string; readonly message: string };
  readonly audits: Readonly<Record<string, Audit>>;
  readonly categories: Readonly<Record<string, Category>>;
}

interface Category {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
}

interface Audit {
  readonly score: number | null;
  readonly numericValue?: number;
  readonly details?: { readonly items?: readonly object[] };
}

/** A request of the page itself, as Lighthouse lists it. */
export interface PageRequest {
  readonly url: string;
  /** 'Document', 'Script', 'Stylesheet', 'Font', 'Image', 'Fetch', … */
  readonly type: string;
  readonly status: number;
  /** Transferred bytes including headers. */
  readonly transferred: number;
}

/** Times in ms, `cls` without a unit, scores up to 100; `NaN` for values missing from the report. */
export interface PageRun {
  readonly fcp: number;
  readonly lcp: number;
  readonly tbt: number;
  readonly cls: number;
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
  /** Requests that got a response, from any host. */
  readonly requests: readonly PageRequest[];
  /** Names of the audits that lower a category below 100. */
  readonly failing: readonly string[];
}

interface NetworkItem {
  readonly url: string;
  readonly resourceType?: string;
  readonly statusCode?: number;
  readonly transferSize?: number;
  readonly finished?: boolean;
  /** 'page', or 'worker' for requests of a service worker. */
  readonly sessionTargetType?: string;
}

/** Reads the measurements from a report. Throws with Lighthouse's message if the run failed. */
export function readReport({ runtimeError, audits, categories }: LighthouseReport): PageRun {
  if (runtimeError !== undefined) throw new Error(`${runtimeError.code}: ${runtimeError.message}`);
  const time = (audit: string) => audits[audit]?.numericValue ?? Number.NaN;
  const score = (category: string) => Math.round((categories[category]?.score ?? Number.NaN) * 100);
  const items = (audits['network-requests']?.details?.items ?? []) as readonly NetworkItem[];
  return {
    fcp: time('first-contentful-paint'),
    lcp: time('largest-contentful-paint'),
    tbt: time('total-blocking-time'),
    cls: time('cumulative-layout-shift'),
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    requests: items
      .filter(({ url, sessionTargetType = 'page' }) => sessionTargetType === 'page' && /^https?:/.test(url))
      .filter(({ statusCode = 0, finished }) => statusCode > 0 && finished !== false)
      .map(({ url, resourceType = 'Other', statusCode = 0, transferSize = 0 }) => ({
        url,
        type: resourceType,
        status: statusCode,
        transferred: transferSize,
      })),
    failing: Object.values(categories)
      .filter((category) => category.score !== 1)
      .flatMap(({ auditRefs }) => auditRefs)
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => id),
  };
}
