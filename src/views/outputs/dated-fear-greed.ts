import type { DashboardView, FearGreedView } from '../model.ts';

/** The Fear & Greed index beside a signal. */
interface DatedFearGreed {
  readonly view: FearGreedView;
  /** 'As of Thu 12 Nov 2026, close' for a value of an earlier session than the newest; otherwise null. */
  readonly olderText: string | null;
}

/**
 * Decides for every output how it shows Fear & Greed (specification, reading 27): null without a value, and for one that
 * is so old that the signal counts it as missing.
 */
export function datedFearGreed({ fearGreed, signal }: DashboardView): DatedFearGreed | null {
  const row = signal.rows.find(({ input }) => input === 'fearGreed');
  if (fearGreed === null || row?.score.value == null) return null;
  return { view: fearGreed, olderText: fearGreed.asOf.older };
}
