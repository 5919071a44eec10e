import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { isSession, marketDay } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { shown } from '../printable.ts';
import type { ProblemKind } from '../problems.ts';
import type { SeriesRequest } from './provider.ts';

interface Plausible {
  low: number;
  high: number;
  /** Largest ratio to the previous session, up or down. */
  factor?: number;
  /** Largest difference from the previous session. */
  step?: number;
  whole?: true;
}

const PRICE: Plausible = { low: 1, high: 1e6, factor: 1.4 };
const COUNT: Plausible = { low: 0, high: 20_000, whole: true };
const SPREAD: Plausible = { low: 0.05, high: 50, factor: 2 };
const RATIO: Plausible = { low: 0.1, high: 10 };

/** Bounds of each series. Largest moves on record: VIX ×2.2 (February 2018), an index −23 % (October 1987). */
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

/** Longest gap in days over which two values are compared. */
const MAX_GAP = 10;

/**
 * Validates the values of one series. `of` names it in messages. A value of a day without trading is rejected, or
 * ignored if the provider has its own calendar.
 */
export function createSeriesValues(
  name: SeriesName,
  { from, to, now, problems }: Pick<SeriesRequest, 'from' | 'to' | 'now' | 'problems'>,
  { label, of, ownCalendar = false }: { label: string; of: string; ownCalendar?: boolean },
) {
  const plausible = PLAUSIBLE[name];
  const today = marketDay(now);
  const comparedFrom = formatDay(parseDay(from) - MAX_GAP);
  const accepted = new Map<string, number>();
  const seen = new Set<string>();
  let before: { day: number; value: number } | null = null;

  function refusal(day: string, value: unknown): [ProblemKind, string] | null {
    if (seen.has(day)) return ['duplicate', 'a second value for the day'];
    if (value === null || value === undefined || value === '') return ['missing value', 'no value'];
    const number = numberIn(value);
    if (Number.isNaN(number)) return ['number', `'${shown(value)}' is not a number`];
    if (plausible.whole && !Number.isInteger(number))
      return ['number', `'${shown(value)}' is not a whole number`];
    if (number < plausible.low || number > plausible.high)
      return ['price', `'${shown(value)}' is not between ${plausible.low} and ${plausible.high}`];
    if (before !== null && parseDay(day) - before.day <= MAX_GAP && isLeap(plausible, before.value, number))
      return ['price', `'${shown(value)}' after ${before.value} is an implausible move`];
    return null;
  }

  return {
    /** Accepted values by session of the range. */
    accepted: accepted as ReadonlyMap<string, number>,
    /**
     * Accepts the value of a day (`YYYY-MM-DD`), or rejects it into `problems`. Days must ascend; text must be a plain
     * decimal. A value before the range only serves to validate the next one.
     */
    offer(day: string, value: unknown) {
      const at = { provider: label, of };
      if (Number.isNaN(parseDay(day))) return problems.refuse('date', at, `'${shown(day)}' is not a day`);
      if (day <= today && (day < comparedFrom || day > to)) return;
      const refusedDay = dayRefusal(day, today);
      if (ownCalendar && refusedDay?.[0] === 'date') return;
      const refused = refusedDay ?? refusal(day, value);
      if (refusedDay === null) seen.add(day);
      if (refused !== null) {
        if (day >= from || refusedDay !== null)
          problems.refuse(refused[0], { ...at, session: day }, refused[1]);
        return;
      }
      before = { day: parseDay(day), value: numberIn(value) };
      if (day >= from) accepted.set(day, before.value);
    },
  };
}

/** Why a provider cannot have data of a day; null if it can. */
export function dayRefusal(day: string, today: string): readonly [ProblemKind, string] | null {
  if (day > today) return ['future date', 'the day is in the future'];
  return isSession(day) ? null : ['date', 'the day is not a session of the exchange'];
}

function isLeap({ factor, step }: Plausible, before: number, value: number): boolean {
  if (factor !== undefined && Math.max(value / before, before / value) > factor) return true;
  return step !== undefined && Math.abs(value - before) > step;
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : Number.NaN;
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
}
