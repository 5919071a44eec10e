import type { ProblemKind } from '../problems.ts';
import { type AlpacaAccount, alpacaReach, askAlpacaBars, instantOf } from './alpaca-bars.ts';
import { field } from './json.ts';
import { type MinuteReading, type MinuteRequest, PROVIDER_LABELS } from './provider.ts';
import { symbolFor } from './symbols.ts';

const MINUTE = 60_000;
/** How far back the last two minutes with a trade are looked for. */
const MINUTES = 10;
const SYMBOLS_A_MINUTE_REQUEST = 250;
/** The factor by which a price may move in a minute; trading halts long before it. */
const MOST_OF_A_MINUTE = 2;

/** The last two minutes of each symbol up to `until`, of what Alpaca gives already. Throws ProviderError. */
export async function readAlpacaMinutes(
  account: AlpacaAccount,
  request: MinuteRequest,
): Promise<MinuteReading> {
  const { symbols, http, now, until } = request;
  const last = new Float64Array(symbols.length).fill(Number.NaN);
  const before = new Float64Array(symbols.length).fill(Number.NaN);
  const rows = new Map(symbols.map((symbol, row) => [symbolFor('alpaca', symbol), row]));
  const closes = symbols.map(() => new Map<number, number>());
  // A minute is named by its start, so that of `until` itself is still to come.
  const end = Math.min(until, alpacaReach(http, now)) - 1;
  const theirs = [...rows.keys()];
  for (let from = 0; from < theirs.length; from += SYMBOLS_A_MINUTE_REQUEST) {
    await askAlpacaBars(account, {
      http,
      now,
      symbols: theirs.slice(from, from + SYMBOLS_A_MINUTE_REQUEST),
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
          request.problems.refuse(kind, { provider: PROVIDER_LABELS.alpaca, of: symbol }, why);
        if (typeof close !== 'number' || !(close > 0) || Number.isNaN(at) || at > end)
          refuse('number', 'a bar of a minute cannot be read');
        else if ((ofSymbol?.get(minute) ?? close) !== close)
          refuse('duplicate', 'a second bar of a minute says something else');
        else ofSymbol?.set(minute, close);
      },
    });
  }
  closes.forEach((ofSymbol, row) => {
    const newest = Math.max(...ofSymbol.keys());
    const [one = Number.NaN, other = Number.NaN] = [ofSymbol.get(newest), ofSymbol.get(newest - 1)];
    if (Math.max(one / other, other / one) > MOST_OF_A_MINUTE) {
      const at = { provider: PROVIDER_LABELS.alpaca, of: symbols[row] ?? '' };
      request.problems.refuse(
        'price',
        at,
        `${one} a minute after ${other} is more of a move than there can be`,
      );
      return;
    }
    last[row] = one;
    before[row] = other;
  });
  return { last, before };
}
