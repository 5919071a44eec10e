export interface WidgetSymbol {
  s: string;
  d: string;
}

/** An S&P 500 index, an S&P 500 ETF, a Russell 2000 ETF and a Nasdaq 100 ETF. */
export const DEFAULT_SYMBOLS: readonly WidgetSymbol[] = [
  { s: 'FOREXCOM:SPXUSD', d: 'S&P 500' },
  { s: 'AMEX:SPY', d: 'S&P 500 ETF' },
  { s: 'AMEX:IWM', d: 'Russell 2000 ETF' },
  { s: 'NASDAQ:QQQ', d: 'Nasdaq 100 ETF' },
];

const MOST_SYMBOLS = 12;
const LONGEST_NAME = 40;
const SYMBOL = /^[A-Z0-9_]{1,20}:[A-Z0-9._!&-]{1,30}$/;
// Control characters and bidirectional marks.
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function symbolOf(entry: string): WidgetSymbol | null {
  const [s = '', ...name] = entry.split('|').map((part) => part.trim());
  const d = name.join('|') || s;
  return SYMBOL.test(s) && d.length <= LONGEST_NAME && !UNSHOWABLE.test(d) ? { s, d } : null;
}

/** Parses 'AMEX:SPY|S&P 500 ETF, NASDAQ:QQQ|Nasdaq 100 ETF'; names are optional. Null for invalid text. */
export function parseSymbols(text: string): readonly WidgetSymbol[] | null {
  const entries = text.split(',');
  if (entries.length > MOST_SYMBOLS) return null;
  const symbols = entries.map(symbolOf).filter((symbol) => symbol !== null);
  return symbols.length === entries.length ? symbols : null;
}

/** The fault in the symbols of a setting, in a sentence; null if there is none. */
export function symbolsFault(setting: string, text: string): string | null {
  if (parseSymbols(text) !== null) return null;
  return `${setting} is "${text}"; it must be up to ${MOST_SYMBOLS} symbols as EXCHANGE:SYMBOL|Name, separated by commas.`;
}
