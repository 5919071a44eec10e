import { expect, it } from 'vitest';
import { type LighthouseReport, readReport } from './page-report.ts';

const ITEM = {
  url: 'http://127.0.0.1:1/',
  resourceType: 'Document',
  statusCode: 200,
  transferSize: 900,
  finished: true,
};

function report(items: readonly object[], more: Partial<LighthouseReport> = {}): LighthouseReport {
  const category = (score: number, ...ids: string[]) => ({
    score,
    auditRefs: ids.map((id) => ({ id, weight: id === 'csp-xss' ? 0 : 10 })),
  });
  return {
    audits: {
      'first-contentful-paint': { score: 1, numericValue: 610.4 },
      'largest-contentful-paint': { score: 0.8, numericValue: 1106.2 },
      'total-blocking-time': { score: 1, numericValue: 12 },
      'cumulative-layout-shift': { score: 1, numericValue: 0 },
      'color-contrast': { score: 0 },
      'csp-xss': { score: 0 },
      'video-caption': { score: null },
      'network-requests': { score: 1, details: { items } },
    },
    categories: {
      performance: category(0.955, 'first-contentful-paint', 'largest-contentful-paint'),
      accessibility: category(0.96, 'color-contrast', 'video-caption', 'csp-xss'),
      'best-practices': category(1),
      seo: category(1),
    },
    ...more,
  };
}

it('reads times in ms and scores up to 100 as Lighthouse rounds them', () => {
  const run = readReport(report([ITEM]));
  expect(run).toMatchObject({ fcp: 610.4, lcp: 1106.2, tbt: 12, cls: 0 });
  expect(run).toMatchObject({ performance: 96, accessibility: 96, bestPractices: 100, seo: 100 });
});

it('names only the audits that lower a score', () => {
  expect(readReport(report([ITEM])).failing).toEqual(['largest-contentful-paint', 'color-contrast']);
});

it('counts the responses to the page itself, not those to its service worker', () => {
  const { requests } = readReport(
    report([
      ITEM,
      { ...ITEM, url: 'http://127.0.0.1:1/assets/a.js', resourceType: 'Script', sessionTargetType: 'page' },
      { ...ITEM, url: 'http://127.0.0.1:1/assets/b.js', sessionTargetType: 'worker' },
      { ...ITEM, url: 'https://example.org/', statusCode: -1 },
      { ...ITEM, url: 'http://127.0.0.1:1/never', finished: false },
      { ...ITEM, url: 'data:image/png;base64,AA==' },
    ]),
  );
  expect(requests.map(({ url, type, transferred }) => [url, type, transferred])).toEqual([
    ['http://127.0.0.1:1/', 'Document', 900],
    ['http://127.0.0.1:1/assets/a.js', 'Script', 900],
  ]);
});

it('has no value for a missing measurement', () => {
  const { lcp, seo, requests } = readReport({ audits: {}, categories: {} });
  expect([lcp, seo]).toEqual([Number.NaN, Number.NaN]);
  expect(requests).toEqual([]);
});

it('reports Lighthouse’s message if a run failed', () => {
  const runtimeError = { code: 'NO_FCP', message: 'The page did not paint.' };
  expect(() => readReport(report([], { runtimeError }))).toThrow('NO_FCP: The page did not paint.');
});
