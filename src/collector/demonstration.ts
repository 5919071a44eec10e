import type { MarketSource } from '#schema/market-source.ts';

/** Sources whose rows are not the market of today; they give way to any other source's. */
export const DEMONSTRATIONS = ['simulated', 'replay'] as const satisfies readonly MarketSource[];

/** Whether rows of this source are not the market of today. */
export function isDemonstration(source: MarketSource): boolean {
  return DEMONSTRATIONS.some((word) => word === source);
}
