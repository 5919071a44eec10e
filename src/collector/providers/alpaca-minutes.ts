import type { ProblemKind } from '../problems.ts';
import { type AlpacaAccount, delayedNow, fetchAlpacaBars, instantOf } from './alpaca-bars.ts';
import { field } from './json.ts';
import { PROVIDER_LABELS, symbolFor } from './names.ts';
import type { MinuteReading, MinuteRequest } from './provider.ts';

const MINUTE = 60_000;
/** Length of the range that is searched for the last two minutes with a trade. */
const MINUTES = 10;
const SYMBOLS_PER_REQUEST = 250;
/** Largest plausible price ratio of two minutes; trading halts long before it. */
const MAX_RATIO = 2;

/** The closes of each symbol's last two minutes up to `until`, or up to Alpaca's delay. Throws ProviderError. */
export async function readAlpacaMinutes(
  account: AlpacaAccount,
  request: MinuteRequest,
): Promise<MinuteReading> {
  const { symbols, http, now, until, problems } = request;
  const last = new Float64Array(symbols.length).fill(Number.NaN);
  const before = new Float64Array(symbols.length).fill(Number.NaN);
  const rows = new Map(symbols.map((symbol, row) => [symbolFor('alpaca', symbol), row]));
  const closes = symbols.map(() => new Map<number, number>());
  // A bar is stamped with the start of its minute, so exclude the minute that starts at `until`.
  const end = Math.min(until, delayedNow(now)) - 1;
  const theirs = [...rows.keys()];
  for (let from = 0; from < theirs.length; from += SYMBOLS_PER_REQUEST) {
    await fetchAlpacaBars(account, {
      http,
      now,
      symbols: theirs.slice(from, from + SYMBOLS_PER_REQUEST),
      timeframe: '1Min',
      adjustment: 'raw',
      start: Math.floor(end / MINUTE) * MINUTE - MINUTES * MINUTE,
      end,
      onBar(symbol, bar) {
        const at = instantOf(field(bar, 't'));
        const close = field(bar, 'c');
        const ofSymbol = closes[rows.get(symbol) ?? -1];
        const minute = Math.floor(at / MINUTE);
        const refuse = (kind: ProblemKind, why: string) =>
          problems.refuse(kind, { provider: PROVIDER_LABELS.alpaca, of: symbol }, why);
        if (typeof close !== 'number' || !(close > 0) || Number.isNaN(at) || at > end)
          refuse('number', 'a minute bar is unreadable');
        else if ((ofSymbol?.get(minute) ?? close) !== close)
          refuse('duplicate', 'two different bars for one minute');
        else ofSymbol?.set(minute, close);
      },
    });
  }
  closes.forEach((ofSymbol, row) => {
    const newest = Math.max(...ofSymbol.keys());
    const [one = Number.NaN, other = Number.NaN] = [ofSymbol.get(newest), ofSymbol.get(newest - 1)];
    if (Math.max(one / other, other / one) > MAX_RATIO) {
      const at = { provider: PROVIDER_LABELS.alpaca, of: symbols[row] ?? '' };
      problems.refuse('price', at, `a move from ${other} to ${one} within a minute is implausible`);
      return;
    }
    last[row] = one;
    before[row] = other;
  });
  return { last, before };
}
