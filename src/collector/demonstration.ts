import type { MarketSource } from '#schema/market-source.ts';

/** Sources whose rows are not the market of today; they give way to any other source's. */
export const DEMONSTRATIONS = ['simulated', 'replay'] as const satisfies readonly MarketSource[];

export function isDemonstration(source: MarketSource): boolean {
  return DEMONSTRATIONS.some((word) => word === source);
}
