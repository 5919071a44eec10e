/**
 * The market that the rows of a source describe. Each demonstration source has a market of its own; all other sources
 * describe the actual market. A decision without a source was made without rows and counts for the actual market.
 */
export function marketOf(source: string | null): string {
  return source === 'simulated' || source === 'replay' ? source : 'actual';
}
