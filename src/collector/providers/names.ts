/** Providers of market data, as spelled in settings and stored records. */
export const PROVIDER_NAMES = ['alpaca', 'yahoo', 'cboe', 'fred', 'treasury', 'ofr', 'wsj'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export const PROVIDER_LABELS = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo',
  cboe: 'Cboe',
  fred: 'FRED',
  treasury: 'US Treasury',
  ofr: 'OFR',
  wsj: 'The Wall Street Journal',
} as const satisfies Record<ProviderName, string>;

/** The separator before a share class: BRK.B, BRK-B. */
const CLASS_SEPARATOR = { alpaca: '.', yahoo: '-' } as const satisfies Partial<Record<ProviderName, string>>;

/** A provider's spelling of a symbol that the universe writes as BRK.B, BRK-B or BRK/B. */
export function symbolFor(provider: keyof typeof CLASS_SEPARATOR, symbol: string): string {
  return symbol.toUpperCase().replace(/[./-]/g, CLASS_SEPARATOR[provider]);
}
