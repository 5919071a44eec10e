import type { Family, Labels, Sample } from './exposition.ts';

export interface Counter {
  add(labels: Labels, by: number): void;
  family(): Family;
}

/** Counts by labels from the start of the process. */
export function createCounter(name: string, help: string): Counter {
  const counts = new Map<string, { labels: Labels; value: number }>();
  return {
    add(labels, by) {
      const key = JSON.stringify(labels);
      counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + by });
    },
    family: () => ({ name, help, type: 'counter', samples: [...counts.values()] }),
  };
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
  family(): Family;
}

/** Counts values by upper bounds, ascending, and adds them up. */
export function createHistogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const observed = new Map<string, { labels: Labels; buckets: number[]; sum: number; count: number }>();
  return {
    observe(labels, value) {
      const key = JSON.stringify(labels);
      const own = observed.get(key) ?? { labels, buckets: bounds.map(() => 0), sum: 0, count: 0 };
      const buckets = own.buckets.map((count, at) => count + (value <= (bounds[at] as number) ? 1 : 0));
      observed.set(key, { labels, buckets, sum: own.sum + value, count: own.count + 1 });
    },
    family: () => ({
      name,
      help,
      type: 'histogram',
      samples: [...observed.values()].flatMap(({ labels, buckets, sum, count }): Sample[] => [
        ...buckets.map((value, at) => ({
          suffix: '_bucket',
          labels: { ...labels, le: `${bounds[at]}` },
          value,
        })),
        { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ]),
    }),
  };
}
