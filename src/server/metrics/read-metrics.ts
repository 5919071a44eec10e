import type { Family } from './exposition.ts';

export interface ReadMetrics {
  /** Counts a read: from the current release, from a stale one, from the database, or refused with 503. */
  count(by: 'release' | 'stale' | 'database' | 'refused'): void;
  families(): Family[];
}

/** Counts the reads of tables by their source. */
export function createReadMetrics(): ReadMetrics {
  const counts = { release: 0, stale: 0, database: 0, refused: 0 };
  return {
    count(by) {
      counts[by] += 1;
    },
    families: () => [
      {
        name: 'barometer_reads_total',
        help: 'Reads of tables by their source; refused ones got 503.',
        type: 'counter',
        samples: Object.entries(counts).map(([by, value]) => ({ labels: { by }, value })),
      },
    ],
  };
}
