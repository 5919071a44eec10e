import type { ProviderName } from './provider.ts';

/** What stands between a company and its class of share: BRK.B, BRK-B. */
const BEFORE_CLASS = { alpaca: '.', yahoo: '-' } as const satisfies Partial<Record<ProviderName, string>>;

/** How a provider spells a symbol, whether the universe has it as BRK.B, BRK-B or BRK/B. */
export function symbolFor(provider: keyof typeof BEFORE_CLASS, symbol: string): string {
  return symbol.toUpperCase().replace(/[./-]/g, BEFORE_CLASS[provider]);
}
