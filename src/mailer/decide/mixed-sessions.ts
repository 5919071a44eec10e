import { bondSessionsAfter } from '#domain/calendar/bond-market.ts';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { STRENGTH_SESSIONS } from '#domain/fear-greed/raw-series.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { InputOriginRow } from '#schema/input-origins.ts';

/** What Fear & Greed is made of; true where a day's value is published the day after by nature. */
const IS_LATE: Partial<Record<SeriesName | 'bars', boolean>> = {
  bars: false,
  sp500_close: false,
  vix_close: false,
  put_call_total: false,
  put_call_equity: false,
  nyse_advances: false,
  nyse_declines: false,
  nyse_unchanged: false,
  nyse_new_highs: false,
  nyse_new_lows: false,
  treasury_fund_close: false,
  high_yield_oas: true,
  investment_grade_oas: true,
  treasury_10y_yield: true,
};
/** The longest mean of them falls silent without half of its sessions: what is older is no part of the index. */
const REACH = STRENGTH_SESSIONS / 2;

/**
 * Those of the inputs of Fear & Greed that are of an earlier session than `session` and should not be: not published a
 * day later by nature, or later than that. Empty where such delays are all there is; null where the origins, those of
 * the same rows, name no earlier one at all.
 */
export function strayInputs(origins: readonly InputOriginRow[], session: string): InputOriginRow[] | null {
  const earlier = origins.filter(
    ({ input, session: of }) =>
      Object.hasOwn(IS_LATE, input) &&
      of !== null &&
      of < session &&
      sessionsBetween(of, session).length <= REACH + 1,
  );
  if (earlier.length === 0) return null;
  return earlier.filter(
    ({ input, session: of }) =>
      IS_LATE[input as SeriesName] !== true || of === null || bondSessionsAfter(of, session) > 1,
  );
}
