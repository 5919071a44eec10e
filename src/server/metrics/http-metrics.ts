import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCounter, createHistogram } from './exposition.ts';

/** The classes of addresses by the first part of the path. All others are `other`, so that label values are bounded. */
const ROUTES = {
  page: ['', 'index.html'],
  table: ['rest'],
  document: ['record', 'on', 'quality', 'method', 'risk'],
  output: [
    ...'signal.json signals.csv fear-greed.csv feed.atom feed.json grades.atom grades.json'.split(' '),
    ...'badge.svg badge.json embed oembed openapi.json llms.txt mcp og.png record.png'.split(' '),
  ],
  file: [
    ...'assets favicon.ico icon.svg icon-192.png icon-512.png icon-maskable-512.png'.split(' '),
    ...'apple-touch-icon.png manifest.webmanifest service-worker.js record-walk.js robots.txt'.split(' '),
  ],
  ledger: ['ledger'],
  link: ['unsubscribe', 'confirm', 'alerts', 'mail'],
  operator: ['healthz', 'readyz', 'metrics'],
} as const;
const ROUTE_OF_FIRST: ReadonlyMap<string, string> = new Map(
  Object.entries(ROUTES).flatMap(([route, parts]) => parts.map((part) => [part, route] as const)),
);

const routeOf = (url: string) => ROUTE_OF_FIRST.get(/^.([^/?]*)/.exec(url)?.[1] ?? '') ?? 'other';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Upper bounds of the histogram (s). Most responses come from memory. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts the responses of a server by method, class of address and status, and their durations. */
export function createHttpMetrics() {
  const requests = createCounter(
    'barometer_http_requests_total',
    'Responses by method, class of address and status.',
  );
  const durations = createHistogram(
    'barometer_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response, by class of address.',
    BOUNDS,
  );
  return {
    /** Counts a response that was sent. `seconds` is the time since its request was received. */
    count(
      { method: sent = '', url = '/' }: IncomingMessage,
      { statusCode }: ServerResponse,
      seconds: number,
    ) {
      const route = routeOf(url);
      const method = METHODS.has(sent) ? sent : 'other';
      durations.observe({ route }, seconds);
      requests.add({ method, route, status: String(statusCode) }, 1);
    },
    families: () => [requests.family(), durations.family()],
  };
}
export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
