import type { Family } from './exposition.ts';

/** What the cache of reads says of itself. */
export interface ReadState {
  /** Reads by what answered them. */
  readonly counts: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly entries: number;
}

/** How the reads of visitors were answered, and what is kept for the next. */
export function readFamilies({ counts, bytes, entries }: ReadState): Family[] {
  const samples = Object.entries(counts).map(([by, value]) => ({ labels: { by }, value }));
  return [
    {
      name: 'barometer_reads_total',
      help: 'Reads of tables by what answered them.',
      type: 'counter',
      samples,
    },
    {
      name: 'barometer_read_cache_bytes',
      help: 'Memory of the answers kept.',
      type: 'gauge',
      samples: [{ labels: {}, value: bytes }],
    },
    {
      name: 'barometer_read_cache_entries',
      help: 'Answers kept.',
      type: 'gauge',
      samples: [{ labels: {}, value: entries }],
    },
  ];
}
