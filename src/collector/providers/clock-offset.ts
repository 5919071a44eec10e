import type { ProviderName } from './provider.ts';

/** Answers whose time counts, of each provider. */
const KEPT = 9;

/** Tells by how much the clocks of those asked are ahead of ours. */
export interface ClockOffset {
  /** An answer to a request of `asked` that came at `answered` (epoch ms). */
  observe(provider: ProviderName, headers: Headers, asked: number, answered: number): void;
  /** ms, of one provider or the median of all, however often each was asked; null while no answer has told its time. */
  offset(provider?: ProviderName): number | null;
}

export function createClockOffset(): ClockOffset {
  const offsets = new Map<ProviderName, number[]>();
  const of = (provider: ProviderName) => median(offsets.get(provider) ?? []);
  return {
    observe(provider, headers, asked, answered) {
      const date = Date.parse(headers.get('date') ?? '');
      if (Number.isNaN(date)) return;
      // What comes from a cache keeps the Date of its making and says in Age how long ago that was.
      const age = /^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0;
      const theirs = date + 500 + Number(age) * 1000; // Date is cut to the second
      offsets.set(provider, [...(offsets.get(provider) ?? []), theirs - (asked + answered) / 2].slice(-KEPT));
    },
    offset: (provider) =>
      provider === undefined ? median([...offsets.keys()].map((name) => of(name) ?? 0)) : of(provider),
  };
}

function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? null;
}
