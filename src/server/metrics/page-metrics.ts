import type { Family } from './exposition.ts';

export interface PageMetrics {
  /** A page is ready so many milliseconds after its first read began. */
  made(ms: number): void;
  /** The rows of a page could not be read. */
  failed(): void;
  families(): Family[];
}

/** How often the page was made in this process, and how long that took. */
export function createPageMetrics(): PageMetrics {
  const counts = { made: 0, failed: 0 };
  let lastSeconds: number | null = null;
  return {
    made(ms) {
      counts.made += 1;
      lastSeconds = ms / 1000;
    },
    failed() {
      counts.failed += 1;
    },
    families: () => [
      {
        name: 'barometer_pages_total',
        help: 'Pages made with their data, and those whose data could not be read.',
        type: 'counter',
        samples: Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
      {
        name: 'barometer_page_seconds',
        help: 'How long the last page took, from its first read until it could be sent.',
        type: 'gauge',
        samples: lastSeconds === null ? [] : [{ labels: {}, value: lastSeconds }],
      },
    ],
  };
}
