import { bondSessionsAfter } from '#domain/calendar/bond-market.ts';
import { newestClosedSession, sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { STRENGTH_SESSIONS } from '#domain/fear-greed/raw-series.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { inputAges } from '#domain/signal/input-age.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { InputOriginRow } from '#schema/input-origins.ts';
import { asOf, isClose, writeDay } from '#views/day.ts';
import type { AsOf } from '#views/model.ts';
import { originsView } from '#views/origins-view.ts';
import { currentInputs } from '#views/signal-inputs.ts';

/** Ends of a reason, for the operator. */
const COLLECT = 'collect brings them, or doctor says why not';
export const SEE_DOCTOR = 'doctor says why';

/** The rows of one of the signal's tables, by its name on the page. */
interface Group {
  readonly input: SignalInput;
  readonly name: string;
  readonly asOf: AsOf;
}

/** The groups that count: an expired one is missing, as one without rows is (reading 22). */
function groupsOf(rows: DashboardRows): Group[] {
  const ages = inputAges(currentInputs(rows));
  const groups = [
    { input: 'fearGreed', name: 'Fear & Greed', row: rows.fearGreed.current },
    { input: 'overallStrength', name: 'Overall Strength with Market Exposure', row: rows.metrics },
    { input: 'sentiment', name: 'Market Sentiment', row: rows.sentiment[0] },
    { input: 'advancedIndicators', name: 'Advanced Indicators', row: rows.indicators },
    { input: 'sectors', name: 'Sector Strength', row: rows.sectors[0] },
    { input: 'breadth', name: 'Market Breadth', row: rows.breadth },
  ] satisfies { input: SignalInput; name: string; row: unknown }[];
  return groups.flatMap(({ input, name, row }) =>
    row == null || ages[input].age === 'expired' ? [] : [{ input, name, asOf: asOf(row.created_at) }],
  );
}

/** The reason if the rows are not all of the close of `session`, else null. */
function mixedRowsReason(groups: readonly Group[], session: string): string | null {
  const close = sessionClose(session);
  const strays = groups.filter(({ asOf: { instant } }) => instant !== close);
  if (strays.length === 0) return null;
  const newest = groups.reduce((one, other) => (other.asOf.instant > one.asOf.instant ? other : one)).asOf;
  if (newest.instant < close && newest.session < session) {
    return `The newest market rows are of ${newest.text}, and those of ${writeDay(session)}, which has closed since, are missing; ${COLLECT}.`;
  }
  if (newest.instant > close) {
    return `The newest market rows are of ${newest.text}, after the close of ${writeDay(session)} that the signal is decided at: wait for the rows of the next close.`;
  }
  if (groups.every(({ asOf: own }) => own.session === session && !isClose(session, own.instant))) {
    return `The newest market rows are of ${newest.text}, within the session: those of its close are missing; ${COLLECT}.`;
  }
  const names = strays.map(({ name, asOf: { text } }) => `${name} is of ${text}`).join(', and ');
  return `The market rows are not all of the close of ${writeDay(session)}: ${names}; ${SEE_DOCTOR}.`;
}

/** The inputs of Fear & Greed; true if a day's value is published the day after. */
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
/** The longest mean has no value without half of its sessions, so anything older is no part of the index. */
const REACH = STRENGTH_SESSIONS / 2;

/** The reason if an input of Fear & Greed is of an earlier session than it should be, else null. */
function mixedPartsReason(origins: readonly InputOriginRow[], session: string): string | null {
  const mixed = `Fear & Greed stands in part on values of an earlier session than ${writeDay(session)}`;
  const earlier = origins.filter(
    ({ input, session: of }) =>
      Object.hasOwn(IS_LATE, input) &&
      of !== null &&
      of < session &&
      sessionsBetween(of, session).length <= REACH + 1,
  );
  if (earlier.length === 0) return `${mixed}, and nothing is recorded of which; ${SEE_DOCTOR}.`;
  const strays = earlier.filter(
    ({ input, session: of }) =>
      IS_LATE[input as SeriesName] !== true || of === null || bondSessionsAfter(of, session) > 1,
  );
  if (strays.length === 0) return null;
  const names = originsView(strays, 'stocks').items.map(
    ({ name, parts, observedText }) => `${name}${parts === null ? '' : ` (${parts})`} of ${observedText}`,
  );
  return `${mixed}, ${names.join(', ')}; ${SEE_DOCTOR}.`;
}

/**
 * The reason to withhold the signal that fell due at `at`, in one plain sentence; null if the rows are all of the right
 * close. Does not check that they give a verdict. `now` and `at` in epoch milliseconds.
 */
export function withholdReason(
  rows: DashboardRows,
  origins: readonly InputOriginRow[],
  { now, at }: { now: number; at: number },
): string | null {
  const groups = groupsOf(rows);
  if (groups.length === 0) return `There are no market rows to decide a signal from; ${COLLECT}.`;
  const session = newestClosedSession(at);
  const newest = newestClosedSession(now);
  if (newest > session) {
    return `It is too late for the signal of ${writeDay(session)}: the session of ${writeDay(newest)} has closed since.`;
  }
  const reason = mixedRowsReason(groups, session);
  if (reason !== null) return reason;
  const fearGreed = rows.fearGreed.current;
  if (fearGreed?.mixed_sessions !== true || groups.every(({ input }) => input !== 'fearGreed')) return null;
  const own = origins.filter(({ created_at }) => created_at === fearGreed.created_at);
  return mixedPartsReason(own, session);
}
