import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Family } from './exposition.ts';

/** Classes of addresses, so that the number of label values is bounded whatever clients request. */
const ROUTES = [
  'page',
  'table',
  'document',
  'output',
  'file',
  'ledger',
  'link',
  'operator',
  'other',
] as const;
type Route = (typeof ROUTES)[number];

/** The first part of a path, and the class of the addresses that begin with it. */
const ROUTE_OF_FIRST: ReadonlyMap<string, Route> = new Map([
  ...['', 'index.html'].map((part) => [part, 'page'] as const),
  ['rest', 'table'] as const,
  ...['record', 'on', 'quality', 'method', 'risk'].map((part) => [part, 'document'] as const),
  ...[
    'signal.json',
    'signals.csv',
    'fear-greed.csv',
    'feed.atom',
    'feed.json',
    'badge.svg',
    'badge.json',
  ].map((part) => [part, 'output'] as const),
  ...['embed', 'oembed', 'openapi.json', 'og.png'].map((part) => [part, 'output'] as const),
  ...['assets', 'favicon.ico', 'icon.svg', 'manifest.webmanifest', 'service-worker.js', 'robots.txt'].map(
    (part) => [part, 'file'] as const,
  ),
  ['ledger', 'ledger'] as const,
  ...['unsubscribe', 'confirm', 'alerts', 'mail'].map((part) => [part, 'link'] as const),
  ...['healthz', 'readyz', 'metrics'].map((part) => [part, 'operator'] as const),
]);

/** Returns the class of the address of a request. */
function routeOf(url: string): Route {
  let end = 1;
  for (; end < url.length; end += 1) {
    const code = url.charCodeAt(end);
    // A slash or a question mark.
    if (code === 47 || code === 63) break;
  }
  return ROUTE_OF_FIRST.get(url.slice(1, end)) ?? 'other';
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Upper bounds of the histogram (s). Most responses come from memory. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Durations of one class of addresses. */
interface Durations {
  /** Number of responses in each bucket, which are not cumulative. The last bucket has no bound. */
  readonly buckets: Uint32Array;
  sum: number;
}

export interface HttpMetrics {
  /** Counts a response that was sent. `seconds` is the time since its request was received. */
  count(request: IncomingMessage, response: ServerResponse, seconds: number): void;
  families(): Family[];
}

/** Counts the responses of a server by method, class of address and status, and their durations. */
export function createHttpMetrics(): HttpMetrics {
  const durations = new Map<Route, Durations>(
    ROUTES.map((route) => [route, { buckets: new Uint32Array(BOUNDS.length + 1), sum: 0 }]),
  );
  /** Counts by route, then method, then status: without a key that each request would have to build. */
  const counts = new Map<Route, Map<string, Map<number, number>>>(ROUTES.map((route) => [route, new Map()]));

  return {
    count({ method = '', url = '/' }, { statusCode }, seconds) {
      const route = routeOf(url);
      const own = durations.get(route);
      const byMethod = counts.get(route);
      if (own === undefined || byMethod === undefined) return;
      let at = 0;
      while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at += 1;
      own.buckets[at] = (own.buckets[at] ?? 0) + 1;
      own.sum += seconds;
      const named = METHODS.has(method) ? method : 'other';
      let byStatus = byMethod.get(named);
      if (byStatus === undefined) {
        byStatus = new Map();
        byMethod.set(named, byStatus);
      }
      byStatus.set(statusCode, (byStatus.get(statusCode) ?? 0) + 1);
    },
    families: () => [
      {
        name: 'barometer_http_requests_total',
        help: 'Responses by method, class of address and status.',
        type: 'counter',
        samples: [...counts].flatMap(([route, byMethod]) =>
          [...byMethod].flatMap(([method, byStatus]) =>
            [...byStatus].map(([status, value]) => ({
              labels: { method, route, status: String(status) },
              value,
            })),
          ),
        ),
      },
      {
        name: 'barometer_http_request_duration_seconds',
        help: 'Time from the arrival of a request to the end of its response, by class of address.',
        type: 'histogram',
        samples: [...durations].flatMap(([route, own]) => samplesOf(route, own)),
      },
    ],
  };
}

function samplesOf(route: Route, { buckets, sum }: Durations): Family['samples'] {
  let count = 0;
  const cumulative = [...buckets].map((own, at) => {
    count += own;
    const le = `${BOUNDS[at] ?? '+Inf'}`;
    return { suffix: '_bucket', labels: { route, le }, value: count };
  });
  if (count === 0) return [];
  return [
    ...cumulative,
    { suffix: '_sum', labels: { route }, value: sum },
    { suffix: '_count', labels: { route }, value: count },
  ];
}
