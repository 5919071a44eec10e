import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { ROOT } from '../../../scripts/set-up.mjs';
import { createDocuments } from '../documents/documents.ts';
import { createHttpMetrics } from './counters.ts';
import { exposition } from './exposition.ts';

function textOf(
  counted: readonly (readonly [method: string, url: string, status: number, seconds: number])[],
) {
  const metrics = createHttpMetrics();
  for (const [method, url, statusCode, seconds] of counted) {
    metrics.count({ method, url } as IncomingMessage, { statusCode } as ServerResponse, seconds);
  }
  return exposition(metrics.families());
}

const linesOf = (text: string, start: string) => text.split('\n').filter((line) => line.startsWith(start));

it('counts responses by method, class of address and status', () => {
  const text = textOf([
    ['GET', '/', 200, 0],
    ['GET', '/?utm=1', 200, 0],
    ['GET', '/index.html', 304, 0],
    ['GET', '/rest/v1/market_metrics?select=*', 200, 0],
    ['POST', '/rest/v1/email_subscribers', 201, 0],
    ['GET', '/on/2026-11-20', 503, 0],
    ['GET', '/record', 200, 0],
    ['GET', '/signal.json', 200, 0],
    ['HEAD', '/assets/index-Ab.js', 200, 0],
    ['GET', '/ledger/checkpoint', 200, 0],
    ['POST', '/confirm/token', 200, 0],
    ['GET', '/healthz', 200, 0],
  ]);
  expect(linesOf(text, 'barometer_http_requests_total')).toEqual([
    'barometer_http_requests_total{method="GET",route="page",status="200"} 2',
    'barometer_http_requests_total{method="GET",route="page",status="304"} 1',
    'barometer_http_requests_total{method="GET",route="table",status="200"} 1',
    'barometer_http_requests_total{method="POST",route="table",status="201"} 1',
    'barometer_http_requests_total{method="GET",route="document",status="503"} 1',
    'barometer_http_requests_total{method="GET",route="document",status="200"} 1',
    'barometer_http_requests_total{method="GET",route="output",status="200"} 1',
    'barometer_http_requests_total{method="HEAD",route="file",status="200"} 1',
    'barometer_http_requests_total{method="GET",route="ledger",status="200"} 1',
    'barometer_http_requests_total{method="POST",route="link",status="200"} 1',
    'barometer_http_requests_total{method="GET",route="operator",status="200"} 1',
  ]);
});

it('has a class for every document and every file of the page', () => {
  const place = { home: '', productName: '', signingKey: Buffer.of(), rights: null };
  const parts = { ...place, database: {}, watch: fakeMarketWatch(() => 0), now: () => 0 };
  const { documents } = createDocuments(parts as unknown as Parameters<typeof createDocuments>[0]);
  // The first part of a pattern such as /^\/on\/.*\.json$/ is plain text.
  const paths = documents.map(({ path }) =>
    typeof path === 'string' ? path : `/${/^\^\\\/(\w+)/.exec(path.source)?.[1]}`,
  );
  const files = readdirSync(join(ROOT, 'dist', 'client')).filter((name) => !/\.(br|gz)$/.test(name));
  expect(files).toContain('index.html');
  const isOther = (path: string) => textOf([['GET', path, 200, 0]]).includes('route="other"');
  expect([...paths, ...files.map((name) => `/${name}`)].filter(isOther)).toEqual([]);
});

it('has as many series however many methods and addresses clients invent', () => {
  const text = textOf(
    Array.from({ length: 50 }, (_, at) => [`X${at}`, `/page-${at}?${at}`, 404, 0] as const),
  );
  expect(linesOf(text, 'barometer_http_requests_total')).toEqual([
    'barometer_http_requests_total{method="other",route="other",status="404"} 50',
  ]);
});

it('measures durations in cumulative buckets', () => {
  const text = textOf([0.0005, 0.001, 0.002, 0.3, 60].map((seconds) => ['GET', '/', 200, seconds] as const));
  const buckets = linesOf(text, 'barometer_http_request_duration_seconds');
  expect(buckets.map((line) => line.replace('barometer_http_request_duration_seconds', ''))).toEqual([
    ...[
      '0.001"} 2',
      '0.0025"} 3',
      '0.005"} 3',
      '0.01"} 3',
      '0.025"} 3',
      '0.05"} 3',
      '0.1"} 3',
      '0.25"} 3',
    ].map((end) => `_bucket{route="page",le="${end}`),
    ...['0.5"} 4', '1"} 4', '2.5"} 4', '5"} 4', '10"} 4', '+Inf"} 5'].map(
      (end) => `_bucket{route="page",le="${end}`,
    ),
    '_sum{route="page"} 60.3035',
    '_count{route="page"} 5',
  ]);
});
