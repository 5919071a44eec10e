import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { type AlpacaAccount, delayedNow, fetchAlpacaBars, instantOf } from './alpaca-bars.ts';
import { readAlpacaMinutes } from './alpaca-minutes.ts';
import { createBarIntake } from './bar-intake.ts';
import { field } from './json.ts';
import { PROVIDER_LABELS, symbolFor } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { BarRequest, Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';

const LABEL = PROVIDER_LABELS.alpaca;
const GIVES = ['bars', 'treasury_fund_close', 'tick_proxy'] as const;
const SYMBOLS_PER_REQUEST = 50;
/** A response without any bar is an error if it is for at least this many symbols. */
const MIN_TRADED_SYMBOLS = 5;
/** A fund of Treasuries of seven to ten years. */
const TREASURY_FUND = 'IEF';

type DailyRequest = Omit<BarRequest, 'symbols'>;

/** Bars of consolidated trades, delayed by 16 minutes, adjusted for splits and dividends. */
export function createAlpaca(account: AlpacaAccount): Provider {
  return {
    name: 'alpaca',
    label: LABEL,
    gives: GIVES,
    givesOpenSession: GIVES,
    symbolsPerRequest: SYMBOLS_PER_REQUEST,

    async readBars(request) {
      const intake = createBarIntake(LABEL, request);
      const seen = await fetchDays(account, request, request.symbols, (symbol, session, bar) =>
        intake.take(
          symbol,
          session,
          ['o', 'h', 'l', 'c', 'v'].map((name) => field(bar, name)),
        ),
      );
      if (!seen && request.symbols.length >= MIN_TRADED_SYMBOLS) throw empty();
      return { bars: intake.accepted(), observedAt: delayedNow(request.now) };
    },

    async readSeries(request) {
      const name = 'treasury_fund_close';
      if (!request.series.includes(name)) return new Map();
      const values = createSeriesValues(name, request, { label: LABEL, of: TREASURY_FUND });
      const seen = await fetchDays(account, request, [TREASURY_FUND], (_, session, bar) =>
        values.offer(session, field(bar, 'c')),
      );
      if (!seen) throw empty();
      return new Map([[name, values.accepted]]);
    },

    readMinutes: (request) => readAlpacaMinutes(account, request),
  };
}

/** Passes each daily bar to `take`, with the universe's spelling of the symbol. Returns false without any valid day. */
async function fetchDays(
  account: AlpacaAccount,
  { http, now, from, to, problems }: DailyRequest,
  symbols: readonly string[],
  take: (symbol: string, session: string, bar: unknown) => void,
): Promise<boolean> {
  const ours = new Map(symbols.map((symbol) => [symbolFor('alpaca', symbol), symbol]));
  let seen = false;
  await fetchAlpacaBars(account, {
    ...{ http, now, symbols: [...ours.keys()], timeframe: '1Day', adjustment: 'all' },
    start: startOfMarketDay(from),
    end: startOfMarketDay(formatDay(parseDay(to) + 1)) - 1,
    onBar(theirs, bar) {
      const symbol = ours.get(theirs) ?? theirs;
      const day = dayOf(field(bar, 't'));
      if (day === null)
        return problems.refuse(
          'date',
          { provider: LABEL, of: symbol },
          'its time is not midnight in New York',
        );
      seen = true;
      take(symbol, day, bar);
    },
  });
  return seen;
}

/** The session of a daily bar, which is stamped with midnight in New York; null for any other time. */
function dayOf(time: unknown): string | null {
  const instant = instantOf(time);
  if (Number.isNaN(instant)) return null;
  const day = marketDay(instant);
  return startOfMarketDay(day) === instant ? day : null;
}

function empty(): ProviderError {
  return new ProviderError('alpaca', 'empty', 'Alpaca returned no bar at all; the next run retries.');
}
