import type { MarketSource } from '#schema/market-source.ts';

/** Sources whose rows are not today's market. Any other source replaces them. */
export const DEMONSTRATIONS = ['simulated', 'replay'] as const satisfies readonly MarketSource[];

/** True if rows of this source are not today's market. */
export function isDemonstration(source: MarketSource): boolean {
  return DEMONSTRATIONS.some((word) => word === source);
}
