import type { Verdict } from '#domain/bands/score-bands.ts';
import type { RecordedOutlook } from '#domain/risk/recorded.ts';
import { decideSignal, ENOUGH_WEIGHT } from '#domain/signal/decide-signal.ts';
import type { SignalInputs } from '#domain/signal/inputs.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { asOf } from '#views/day.ts';
import { newestInstant } from '#views/observed.ts';
import { riskSentence } from '#views/risk-view.ts';
import { currentInputs, signalInputs, signalRows, sp500Row } from '#views/signal-inputs.ts';
import { signalView } from '#views/signal-view.ts';
import { demoView } from '#views/sources-view.ts';
import { type WeeklySignalView, weeklySignalView } from '#views/weekly-signal-view.ts';
import { SEE_DOCTOR, type WithholdReason, withholdReason } from './withhold-reason.ts';

/** The rows of the page, and the origins of the newest rows; empty if none were recorded. */
export interface MarketReading {
  readonly rows: DashboardRows;
  readonly origins: readonly InputOriginRow[];
  readonly risk?: RecordedOutlook | null;
}

/** An issued signal. `session` is `YYYY-MM-DD`. `sp500Close` is null if the close is missing. */
interface IssuedDecision {
  readonly status: 'issued';
  readonly session: string;
  readonly source: MarketSource | null;
  readonly verdict: Verdict;
  readonly score: number;
  readonly range: { readonly low: number; readonly high: number } | null;
  readonly sp500Close: number | null;
  readonly inputs: SignalInputs;
}

export interface WithheldDecision extends WithholdReason {
  readonly status: 'withheld';
  readonly session: string | null;
  readonly source: MarketSource | null;
  readonly inputs: SignalInputs;
}

export type Decision = IssuedDecision | WithheldDecision;

/** A decision with the mail of an issued signal. */
export type WeekDecision = (IssuedDecision & { readonly mail: WeeklySignalView }) | WithheldDecision;

/** The time of a decision and its due time, in epoch ms. `delay` is in sessions. */
interface DecisionClock {
  readonly now: number;
  readonly at: number;
  readonly delay?: number | undefined;
}

const CLOSE_TIME_MS = 16 * 3_600_000;

/**
 * The clock with which the rows for a signal due at `at` are read: 16 hours earlier, the day before for a signal
 * before 16:00, so that "a week ago" is the close that the previous signal used.
 */
export function readingInstant(at: number): number {
  return at - CLOSE_TIME_MS;
}

/** The source of the newest rows that the signal uses, or of a demonstration's row if the page has any. Null without rows. */
export function sourceOfSignalRows(rows: DashboardRows): MarketSource | null {
  const observed = signalRows(rows);
  const newest = newestInstant(observed);
  const source = observed.find(({ created_at }) => created_at === newest)?.source ?? null;
  return demoView(rows)?.kind ?? source;
}

/**
 * Decides the signal due at `at` from the page's rows. Withholds it unless all rows are of the last close that was
 * published before `at` and enough inputs have a value.
 */
export function decideSignalAt({ rows, origins }: MarketReading, clock: DecisionClock): Decision {
  const inputs = currentInputs(rows);
  const { verdict, score, range } = decideSignal(inputs);
  const newest = newestInstant(signalRows(rows));
  const session = newest === null ? null : asOf(newest).session;
  const source = sourceOfSignalRows(rows);
  const reason = withholdReason(rows, origins, clock);
  if (reason !== null || session === null || score === null || verdict === 'insufficient') {
    return { status: 'withheld', ...(reason ?? insufficientData(rows, clock.now)), session, source, inputs };
  }
  const sp500Close = sp500Row(rows, session)?.price ?? null;
  return { status: 'issued', session, source, verdict, score, range, sp500Close, inputs };
}

function insufficientData(rows: DashboardRows, now: number): WithholdReason {
  const { inputsText } = signalView(rows, now);
  const reason = `Insufficient data: ${inputsText}. A signal needs ${ENOUGH_WEIGHT} % of the weight.`;
  return { reason, nextStep: SEE_DOCTOR };
}

/** Decides the signal as `decideSignalAt` does, and writes the mail of an issued one. */
export function decideWeek(reading: MarketReading, clock: DecisionClock): WeekDecision {
  const decision = decideSignalAt(reading, clock);
  if (decision.status === 'withheld') return decision;
  const { rows, risk = null } = reading;
  const mail = weeklySignalView(rows, clock.now, risk && riskSentence(risk));
  if (mail === null) throw new Error('The page has no verdict for the rows of an issued signal.');
  return { ...decision, mail };
}

/** The decision for a week not decided in two days: withheld, without inputs. `source` is that of the shown rows. */
export function decisionOfMissedWeek(at: number, source: MarketSource | null): WithheldDecision {
  return {
    status: 'withheld',
    reason: `The signal was due on ${asOf(new Date(at).toISOString()).text}, and no server could decide it within two days.`,
    nextStep: null,
    session: null,
    source,
    inputs: signalInputs(
      { metrics: null, sectors: [], indicators: null, sentiment: [], breadth: null },
      null,
    ),
  };
}
