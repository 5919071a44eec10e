import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { ProblemKind } from '../problems.ts';
import { type AlpacaAccount, alpacaReach, askAlpacaBars } from './alpaca-bars.ts';
import { createBarIntake } from './bar-intake.ts';
import { field } from './json.ts';
import { createSeriesValues } from './plausible-series.ts';
import {
  type BarRequest,
  type MinuteReading,
  type MinuteRequest,
  PROVIDER_LABELS,
  type Provider,
} from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { symbolFor } from './symbols.ts';

const LABEL = PROVIDER_LABELS.alpaca;
const SYMBOLS_A_REQUEST = 50;
/** From so many symbols on, an answer without a single bar is no answer. */
const SYMBOLS_THAT_TRADE = 5;
/** Holds Treasuries of seven to ten years. */
const TREASURY_FUND = 'IEF';

const MINUTE = 60_000;
/** How far back the last two minutes with a trade are looked for. */
const MINUTES = 10;
const SYMBOLS_A_MINUTE_REQUEST = 250;
/** The factor by which a price may move in a minute; trading halts long before it. */
const MOST_OF_A_MINUTE = 2;

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

    readMinutes: (request) => readMinutes(account, request),
  };
}

async function readMinutes(account: AlpacaAccount, request: MinuteRequest): Promise<MinuteReading> {
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
          request.problems.refuse(kind, { provider: LABEL, of: symbol }, why);
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
      const at = { provider: LABEL, of: symbols[row] ?? '' };
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

/** The session whose midnight in New York a daily bar is stamped with; null when it is another time of day. */
function dayOf(time: unknown): string | null {
  const instant = instantOf(time);
  if (Number.isNaN(instant)) return null;
  const day = marketDay(instant);
  return startOfMarketDay(day) === instant ? day : null;
}

function instantOf(time: unknown): number {
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) && time.length <= 40
    ? Date.parse(time)
    : Number.NaN;
}

function empty(): ProviderError {
  return new ProviderError(
    'alpaca',
    'empty',
    'Alpaca has not a single bar of what was asked; the next run asks again.',
  );
}
