/** The seven components of the index, named like their database columns. All have the same weight. */
export const FEAR_GREED_COMPONENTS = [
  'market_momentum',
  'stock_price_strength',
  'stock_price_breadth',
  'put_call_options',
  'junk_bond_demand',
  'market_volatility',
  'safe_haven_demand',
] as const;
export type FearGreedComponent = (typeof FEAR_GREED_COMPONENTS)[number];

/** Creates a value for each component with `make`. */
export function mapComponents<T>(
  make: (component: FearGreedComponent) => T,
): Readonly<Record<FearGreedComponent, T>> {
  const made = FEAR_GREED_COMPONENTS.map((component) => [component, make(component)]);
  return Object.fromEntries(made);
}

/** The components that a text names, separated by commas; none for null. */
export function componentsIn(text: string | null): FearGreedComponent[] {
  const names = text?.split(',') ?? [];
  return FEAR_GREED_COMPONENTS.filter((component) => names.includes(component));
}
