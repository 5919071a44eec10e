/** Providers of market data, as spelled in settings and stored records. */
export const PROVIDER_NAMES = ['alpaca', 'yahoo', 'cboe', 'fred', 'wsj'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Provider names for messages. */
export const PROVIDER_LABELS = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo',
  cboe: 'Cboe',
  fred: 'FRED',
  wsj: 'The Wall Street Journal',
} as const satisfies Record<ProviderName, string>;
