import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { isSession, marketDay } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { shown } from '../printable.ts';
import type { ProblemKind } from '../problems.ts';
import type { SeriesRequest } from './provider.ts';

interface Plausible {
  low: number;
  high: number;
  /** By which factor it may differ from the session before, up or down. */
  factor?: number;
  /** By how much it may differ from the session before. */
  step?: number;
  whole?: true;
}

const PRICE: Plausible = { low: 1, high: 1e6, factor: 1.4 };
const COUNT: Plausible = { low: 0, high: 20_000, whole: true };
const SPREAD: Plausible = { low: 0.05, high: 50, factor: 2 };
const RATIO: Plausible = { low: 0.1, high: 10 };

/** What a value can be. The largest moves there were: VIX ×2.2 (February 2018), an index −23 % (October 1987). */
const PLAUSIBLE: Readonly<Record<SeriesName, Plausible>> = {
  sp500_close: PRICE,
  sp500_volume: { low: 1, high: 1e12 },
  nasdaq_composite_close: PRICE,
  dow_jones_close: PRICE,
  vix_close: { low: 1, high: 200, factor: 3.5 },
  put_call_total: RATIO,
  put_call_equity: RATIO,
  nyse_advances: COUNT,
  nyse_declines: COUNT,
  nyse_unchanged: COUNT,
  nyse_new_highs: COUNT,
  nyse_new_lows: COUNT,
  high_yield_oas: SPREAD,
  investment_grade_oas: SPREAD,
  treasury_10y_yield: { low: -5, high: 25, step: 1 },
  treasury_fund_close: PRICE,
  nyse_trin: { low: 0.01, high: 50 },
  tick_proxy: { low: -2800, high: 2800 },
};

/** For how many days a value is something to measure the next one by. */
const MEASURES_FOR = 10;

export interface SeriesValues {
  /**
   * Takes the value of a day (`YYYY-MM-DD`) in ascending order of days, or says in `problems` why not. Text has to be
   * a plain decimal. A value before the range only measures the ones that follow.
   */
  offer(day: string, value: unknown): void;
  /** What was taken, by session of the range. */
  readonly taken: ReadonlyMap<string, number>;
}

/**
 * Values of one series on their way in. `of` names it in messages: 'the VIX'. A value of a day without trading is
 * refused, or passed over where the provider keeps another calendar.
 */
export function createSeriesValues(
  name: SeriesName,
  { from, to, now, problems }: Pick<SeriesRequest, 'from' | 'to' | 'now' | 'problems'>,
  { label, of, ownCalendar = false }: { label: string; of: string; ownCalendar?: boolean },
): SeriesValues {
  const plausible = PLAUSIBLE[name];
  const today = marketDay(now);
  const measuredFrom = formatDay(parseDay(from) - MEASURES_FOR);
  const taken = new Map<string, number>();
  const seen = new Set<string>();
  let before: { day: number; value: number } | null = null;

  function refusal(day: string, value: unknown): [ProblemKind, string] | null {
    if (seen.has(day)) return ['duplicate', 'a second value of the day'];
    if (value === null || value === undefined || value === '') return ['missing value', 'no value'];
    const number = numberIn(value);
    if (Number.isNaN(number)) return ['number', `'${shown(value)}' is not a number`];
    if (plausible.whole && !Number.isInteger(number))
      return ['number', `'${shown(value)}' is not a whole number`];
    if (number < plausible.low || number > plausible.high)
      return ['price', `'${shown(value)}' is not between ${plausible.low} and ${plausible.high}`];
    if (
      before !== null &&
      parseDay(day) - before.day <= MEASURES_FOR &&
      isLeap(plausible, before.value, number)
    )
      return ['price', `'${shown(value)}' after ${before.value} is more of a move than there can be`];
    return null;
  }

  return {
    taken,
    offer(day, value) {
      const at = { provider: label, of };
      if (Number.isNaN(parseDay(day))) return problems.refuse('date', at, `'${shown(day)}' is not a day`);
      if (day > today)
        return problems.refuse('future date', { ...at, session: day }, 'the day is still to come');
      if (day < measuredFrom || day > to) return;
      if (!isSession(day)) {
        if (!ownCalendar) problems.refuse('date', { ...at, session: day }, 'not a session of the exchange');
        return;
      }
      const refused = refusal(day, value);
      seen.add(day);
      if (refused !== null) {
        if (day >= from) problems.refuse(refused[0], { ...at, session: day }, refused[1]);
        return;
      }
      before = { day: parseDay(day), value: numberIn(value) };
      if (day >= from) taken.set(day, before.value);
    },
  };
}

function isLeap({ factor, step }: Plausible, before: number, value: number): boolean {
  if (factor !== undefined && Math.max(value / before, before / value) > factor) return true;
  return step !== undefined && Math.abs(value - before) > step;
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : Number.NaN;
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
}
