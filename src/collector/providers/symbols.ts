import type { ProviderName } from './names.ts';

/** The separator before a share class: BRK.B, BRK-B. */
const CLASS_SEPARATOR = { alpaca: '.', yahoo: '-' } as const satisfies Partial<Record<ProviderName, string>>;

/** A provider's spelling of a symbol that the universe writes as BRK.B, BRK-B or BRK/B. */
export function symbolFor(provider: keyof typeof CLASS_SEPARATOR, symbol: string): string {
  return symbol.toUpperCase().replace(/[./-]/g, CLASS_SEPARATOR[provider]);
}
