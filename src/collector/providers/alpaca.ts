import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { type AlpacaAccount, alpacaReach, askAlpacaBars, instantOf } from './alpaca-bars.ts';
import { readAlpacaMinutes } from './alpaca-minutes.ts';
import { createBarIntake } from './bar-intake.ts';
import { field } from './json.ts';
import { createSeriesValues } from './plausible-series.ts';
import { type BarRequest, PROVIDER_LABELS, type Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { symbolFor } from './symbols.ts';

const LABEL = PROVIDER_LABELS.alpaca;
const SYMBOLS_A_REQUEST = 50;
/** From so many symbols on, an answer without a single bar is no answer. */
const SYMBOLS_THAT_TRADE = 5;
/** Holds Treasuries of seven to ten years. */
const TREASURY_FUND = 'IEF';

type DailyRequest = Omit<BarRequest, 'symbols'>;

/** Bars of the consolidated tape, at least 16 minutes old, adjusted for splits and dividends. */
export function createAlpaca(account: AlpacaAccount): Provider {
  /** The bars of symbols of the universe go to `take`. */
  async function askDays(
    request: DailyRequest,
    symbols: readonly string[],
    take: (symbol: string, session: string, bar: unknown) => void,
  ): Promise<void> {
    const { http, now, from, to, problems } = request;
    const ours = new Map(symbols.map((symbol) => [symbolFor('alpaca', symbol), symbol]));
    await askAlpacaBars(account, {
      http,
      now,
      symbols: [...ours.keys()],
      timeframe: '1Day',
      adjustment: 'all',
      start: startOfMarketDay(from),
      end: startOfMarketDay(formatDay(parseDay(to) + 1)) - 1,
      onBar(theirs, bar) {
        const symbol = ours.get(theirs) ?? theirs;
        const day = dayOf(field(bar, 't'));
        if (day === null)
          problems.refuse(
            'date',
            { provider: LABEL, of: symbol },
            'its time is not the start of a day in New York',
          );
        else take(symbol, day, bar);
      },
    });
  }

  return {
    name: 'alpaca',
    label: LABEL,
    gives: ['bars', 'treasury_fund_close', 'tick_proxy'],
    givesOpenSession: ['bars', 'treasury_fund_close', 'tick_proxy'],
    symbolsARequest: SYMBOLS_A_REQUEST,

    async readBars(request) {
      const intake = createBarIntake(LABEL, request);
      let seen = false;
      await askDays(request, request.symbols, (symbol, session, bar) => {
        seen = true;
        intake.take(
          symbol,
          session,
          ['o', 'h', 'l', 'c', 'v'].map((name) => field(bar, name)),
        );
      });
      if (!seen && request.symbols.length >= SYMBOLS_THAT_TRADE) throw empty();
      return { bars: intake.taken(), observedAt: alpacaReach(request.http, request.now) };
    },

    async readSeries(request) {
      const name = 'treasury_fund_close';
      if (!request.series.includes(name)) return new Map();
      const values = createSeriesValues(name, request, { label: LABEL, of: TREASURY_FUND });
      let seen = false;
      await askDays(request, [TREASURY_FUND], (_, session, bar) => {
        seen = true;
        values.offer(session, field(bar, 'c'));
      });
      if (!seen) throw empty();
      return new Map([[name, values.taken]]);
    },

    readMinutes: (request) => readAlpacaMinutes(account, request),
  };
}

/** The session whose midnight in New York a daily bar is stamped with; null when it is another time of day. */
function dayOf(time: unknown): string | null {
  const instant = instantOf(time);
  if (Number.isNaN(instant)) return null;
  const day = marketDay(instant);
  return startOfMarketDay(day) === instant ? day : null;
}

function empty(): ProviderError {
  return new ProviderError(
    'alpaca',
    'empty',
    'Alpaca has not a single bar of what was asked; the next run asks again.',
  );
}
