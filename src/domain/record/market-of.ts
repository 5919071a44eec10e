/**
 * The market that rows of a source describe: each demonstration is one of its own, all others are the actual market. A
 * decision without a source was made without rows, and counts for the actual market.
 */
export function marketOf(source: string | null): string {
  return source === 'simulated' || source === 'replay' ? source : 'actual';
}
