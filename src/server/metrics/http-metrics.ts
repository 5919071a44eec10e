import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCounter, createHistogram, type Family } from './exposition.ts';

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
  ...['embed', 'oembed', 'openapi.json', 'llms.txt', 'mcp', 'og.png'].map(
    (part) => [part, 'output'] as const,
  ),
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

export interface HttpMetrics {
  /** Counts a response that was sent. `seconds` is the time since its request was received. */
  count(request: IncomingMessage, response: ServerResponse, seconds: number): void;
  families(): Family[];
}

/** Counts the responses of a server by method, class of address and status, and their durations. */
export function createHttpMetrics(): HttpMetrics {
  const requests = createCounter(
    'barometer_http_requests_total',
    'Responses by method, class of address and status.',
  );
  const durations = createHistogram(
    'barometer_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response, by class of address.',
    BOUNDS,
  );
  /** Counts by route, then method, then status: without a key that each request would have to build. */
  const routes = new Map(
    ROUTES.map((route) => [
      route,
      { duration: durations.of({ route }), byMethod: new Map<string, Map<number, { value: number }>>() },
    ]),
  );

  return {
    count({ method: sent = '', url = '/' }, { statusCode }, seconds) {
      const route = routeOf(url);
      const own = routes.get(route);
      if (own === undefined) return;
      own.duration.observe(seconds);
      const method = METHODS.has(sent) ? sent : 'other';
      let byStatus = own.byMethod.get(method);
      if (byStatus === undefined) {
        byStatus = new Map();
        own.byMethod.set(method, byStatus);
      }
      let count = byStatus.get(statusCode);
      if (count === undefined) {
        count = requests.of({ method, route, status: String(statusCode) });
        byStatus.set(statusCode, count);
      }
      count.value += 1;
    },
    families: () => [requests.family(), durations.family()],
  };
}
