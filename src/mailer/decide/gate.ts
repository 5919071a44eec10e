import { newestClosedSession, sessionClose } from '#domain/calendar/sessions.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import { decideSignal, ENOUGH_WEIGHT } from '#domain/signal/signal.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { InputOriginRow } from '#schema/input-origins.ts';
import { asOf, isClose, writeDay } from '#views/day.ts';
import type { AsOf } from '#views/model.ts';
import { originsView } from '#views/origins.ts';
import { signalInputs } from '#views/signal-inputs.ts';
import { strayInputs } from './mixed-sessions.ts';
import type { MarketReading } from './reading.ts';

/** What the operator can do: two commands. */
const COLLECT = 'collect brings them, or doctor says why not';
const DOCTOR = 'doctor says why';

/** The rows of one of the signal's tables, by its name on the page. */
interface Group {
  readonly input: SignalInput;
  readonly name: string;
  readonly asOf: AsOf;
}

/** The groups that count: one that is too old is missing, as one without rows is (reading 22). */
function groupsOf(rows: DashboardRows): Group[] {
  const signal = decideSignal(signalInputs(rows, rows.fearGreed.current));
  const groups = [
    { input: 'fearGreed', name: 'Fear & Greed', row: rows.fearGreed.current },
    { input: 'overallStrength', name: 'Overall Strength with Market Exposure', row: rows.metrics },
    { input: 'sentiment', name: 'Market Sentiment', row: rows.sentiment[0] },
    { input: 'advancedIndicators', name: 'Advanced Indicators', row: rows.indicators },
    { input: 'sectors', name: 'Sector Strength', row: rows.sectors[0] },
    { input: 'breadth', name: 'Market Breadth', row: rows.breadth },
  ] satisfies { input: SignalInput; name: string; row: unknown }[];
  const expired = signal.rows.filter(({ age }) => age === 'expired').map(({ input }) => input);
  return groups.flatMap(({ input, name, row }) =>
    row == null || expired.includes(input) ? [] : [{ input, name, asOf: asOf(row.created_at) }],
  );
}

/** Why rows are not all of the close of `session`; null where they are. */
function refusalOfRows(groups: readonly Group[], session: string): string | null {
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
  return `The market rows are not all of the close of ${writeDay(session)}: ${names}; ${DOCTOR}.`;
}

/** Why Fear & Greed of mixed sessions is not sent; null where nothing is older than it is by nature. */
function refusalOfParts(strays: readonly InputOriginRow[] | null, session: string): string | null {
  if (strays?.length === 0) return null;
  const mixed = `Fear & Greed stands in part on values of an earlier session than ${writeDay(session)}`;
  if (strays === null) return `${mixed}, and nothing is recorded of which; ${DOCTOR}.`;
  const names = originsView(strays, 'stocks').items.map(
    ({ name, parts, observedText }) => `${name}${parts === null ? '' : ` (${parts})`} of ${observedText}`,
  );
  return `${mixed}, ${names.join(', ')}; ${DOCTOR}.`;
}

/**
 * Why the rows are not sent as the signal that fell due at `at`, in one plain sentence; null where they may be.
 * Whether they give a verdict is not looked at. `now` and `at` in epoch milliseconds.
 */
export function refusalOf(
  { rows, origins }: MarketReading,
  { now, at }: { now: number; at: number },
): string | null {
  const groups = groupsOf(rows);
  if (groups.length === 0) return `There are no market rows to decide a signal from; ${COLLECT}.`;
  const session = newestClosedSession(at);
  const newest = newestClosedSession(now);
  if (newest > session) {
    return `It is too late for the signal of ${writeDay(session)}: the session of ${writeDay(newest)} has closed since.`;
  }
  const refusal = refusalOfRows(groups, session);
  if (refusal !== null) return refusal;
  const fearGreed = rows.fearGreed.current;
  if (fearGreed?.mixed_sessions !== true || groups.every(({ input }) => input !== 'fearGreed')) return null;
  const own = origins.filter(({ created_at }) => created_at === fearGreed.created_at);
  return refusalOfParts(strayInputs(own, session), session);
}

/** Why there is no verdict, in one plain sentence. */
export function tooLittle(inputsText: string): string {
  return `Insufficient data: too little of the market is measured (${inputsText}), and a signal takes ${ENOUGH_WEIGHT} % of the weight; ${DOCTOR}.`;
}
