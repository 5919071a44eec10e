import {
  bondSessionsAfter,
  isSessionClose,
  newestPublishableSession,
  sessionClose,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { STRENGTH_SESSIONS } from '#domain/fear-greed/compute-fear-greed.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { inputAges, type SignalInput } from '#domain/signal/inputs.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { type AsOf, asOf, writeDay } from '#views/day.ts';
import { originItems } from '#views/origins-view.ts';
import { currentInputs } from '#views/signal-inputs.ts';

export interface WithholdReason {
  /** Plain sentences for everybody: they are stored and published. */
  readonly reason: string;
  /** A sentence for the operator; null if nothing can be done. It is not stored. */
  readonly nextStep: string | null;
}

const COLLECT = 'Run collect, or doctor for the reason.';
export const SEE_DOCTOR = 'Run doctor for the reason.';
export const AWAIT_CLOSE = 'Wait for the rows of the next close.';

/** A panel of the page whose rows the signal uses. `name` is the name of the panel. */
interface Group {
  readonly input: SignalInput;
  readonly name: string;
  readonly asOf: AsOf;
}

/** Returns the panels whose rows the signal uses. Leaves out panels with expired rows or without rows. */
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

/** Returns a reason if any rows are not of the close of `session`; null otherwise. */
function mixedRowsReason(groups: readonly Group[], session: string): WithholdReason | null {
  const close = sessionClose(session);
  const others = groups.filter(({ asOf: { instant } }) => instant !== close);
  if (others.length === 0) return null;
  const newest = groups.reduce((one, other) => (other.asOf.instant > one.asOf.instant ? other : one)).asOf;
  if (newest.instant < close && newest.session < session) {
    const reason = `The newest market rows are of ${newest.text}, but the session of ${writeDay(session)} has closed since.`;
    return { reason, nextStep: COLLECT };
  }
  if (newest.instant > close) {
    const reason = `The newest market rows are of ${newest.text}, after the close of ${writeDay(session)}, from which the signal is decided.`;
    return { reason, nextStep: AWAIT_CLOSE };
  }
  if (groups.every(({ asOf: own }) => own.session === session && !isSessionClose(own.instant))) {
    const reason = `The newest market rows are of ${newest.text}, before the close of that session.`;
    return { reason, nextStep: COLLECT };
  }
  const names = others.map(({ name, asOf: { text } }) => `${name} is of ${text}`).join(', and ');
  const reason = `The market rows are not all of the close of ${writeDay(session)}: ${names}.`;
  return { reason, nextStep: SEE_DOCTOR };
}

/** The inputs of Fear & Greed whose providers publish the value of a day one day later. */
const LATE_INPUTS: readonly SeriesName[] = ['high_yield_oas', 'investment_grade_oas', 'treasury_10y_yield'];
const INPUTS: readonly (SeriesName | 'bars')[] = [
  ...LATE_INPUTS,
  ...(['bars', 'sp500_close', 'vix_close', 'put_call_total', 'put_call_equity'] as const),
  ...(['treasury_fund_close', 'nyse_advances', 'nyse_declines', 'nyse_unchanged'] as const),
  ...(['nyse_new_highs', 'nyse_new_lows'] as const),
];
/** An older value is no part of Fear & Greed, whose longest average needs half of its sessions. */
const MAX_SESSIONS_OLD = STRENGTH_SESSIONS / 2;

/** Returns a reason if an input of Fear & Greed is too old for `session`; null otherwise. */
function mixedPartsReason(origins: readonly InputOriginRow[], session: string): WithholdReason | null {
  const mixed = `Fear & Greed is partly based on values of an earlier session than ${writeDay(session)}`;
  const earlier = origins.filter(
    ({ input, session: own }) =>
      INPUTS.some((name) => name === input) &&
      own !== null &&
      own < session &&
      sessionsBetween(own, session).length <= MAX_SESSIONS_OLD + 1,
  );
  if (earlier.length === 0)
    return { reason: `${mixed}, and these values have no recorded origin.`, nextStep: SEE_DOCTOR };
  const others = earlier.filter(
    ({ input, session: own }) =>
      !LATE_INPUTS.some((name) => name === input) || own === null || bondSessionsAfter(own, session) > 1,
  );
  if (others.length === 0) return null;
  const names = originItems(others, 'stocks').map(
    ({ name, parts, observedText }) => `${name}${parts === null ? '' : ` (${parts})`} of ${observedText}`,
  );
  return { reason: `${mixed}, ${names.join(', ')}.`, nextStep: SEE_DOCTOR };
}

/**
 * The reason to withhold the signal due at `at`; null if all rows are of the last published close. Does not check whether
 * enough inputs have a value.
 */
export function withholdReason(
  rows: DashboardRows,
  origins: readonly InputOriginRow[],
  { now, at, delay = 0 }: { now: number; at: number; delay?: number | undefined },
): WithholdReason | null {
  const groups = groupsOf(rows);
  if (groups.length === 0)
    return { reason: 'No market rows exist, so no signal can be decided.', nextStep: COLLECT };
  const session = newestPublishableSession(at, delay);
  const newest = newestPublishableSession(now, delay);
  if (newest > session) {
    const reason = `It is too late for the signal of ${writeDay(session)}, because the session of ${writeDay(newest)} has closed since.`;
    return { reason, nextStep: null };
  }
  const reason = mixedRowsReason(groups, session);
  if (reason !== null) return reason;
  const fearGreed = rows.fearGreed.current;
  if (!fearGreed?.earlier_components || groups.every(({ input }) => input !== 'fearGreed')) return null;
  const own = origins.filter(({ created_at }) => created_at === fearGreed.created_at);
  return mixedPartsReason(own, session);
}
