import type { DashboardRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { asOf, writeDay } from '#views/day.ts';
import { demoView } from '#views/demo.ts';
import { newestInstant } from '#views/observed.ts';
import { signalView } from '#views/signal.ts';
import { signalInputs, signalRows } from '#views/signal-inputs.ts';
import { sp500Row, weeklySignalView } from '#views/weekly-signal.ts';
import type { Decision, WithheldDecision } from './decision.ts';
import { refusalOf, tooLittle } from './gate.ts';
import type { Issue } from './ledger.ts';
import type { MarketReading } from './reading.ts';

/** When a decision is made, and the instant it fell due at, both epoch milliseconds; one by hand is due at once. */
interface DecisionTime {
  readonly now: number;
  readonly at: number;
}

/** Whose market the rows show: a demonstration's wherever any is of one, as the page says; null without any. */
function sourceOf(rows: DashboardRows): MarketSource | null {
  const observed = signalRows(rows);
  const newest = newestInstant(observed);
  const source = observed.find(({ created_at }) => created_at === newest)?.source ?? null;
  return demoView(rows)?.kind ?? source;
}

/**
 * The signal of a week from the page's rows, or why it is withheld: the rows are not all of the close of the last
 * session before it fell due, or too little of the market is measured.
 */
export function decideSignalOfWeek(reading: MarketReading, { now, at }: DecisionTime): Decision {
  const { rows } = reading;
  const inputs = signalInputs(rows, rows.fearGreed.current);
  const newest = newestInstant(signalRows(rows));
  const source = sourceOf(rows);
  const mail = weeklySignalView(rows, now);
  const reason = refusalOf(reading, { now, at });
  if (reason !== null || mail === null || mail.score.value === null) {
    const session = newest === null ? null : asOf(newest).session;
    const why = reason ?? tooLittle(signalView(rows, now).inputsText);
    return { status: 'withheld', reason: why, session, source, inputs };
  }
  const { session } = mail.asOf;
  return {
    status: 'issued',
    session,
    source,
    verdict: mail.verdict,
    score: mail.score.value,
    range: mail.range === null ? null : { low: mail.range.low, high: mail.range.high },
    sp500Close: sp500Row(rows, session)?.price ?? null,
    inputs,
    mail,
  };
}

/**
 * The same, but withheld where `newest`, the newest week on record, was issued from that close: a schedule that is moved
 * over the weekend, or who asks at once on a Monday morning, sends nobody the same signal as that of two weeks.
 */
export function unlessIssued(decision: Decision, newest: Issue | undefined): Decision {
  if (decision.status !== 'issued' || newest?.status !== 'issued') return decision;
  if (newest.session === null || newest.session < decision.session) return decision;
  const { session, source, inputs } = decision;
  const reason = `The signal of the close of ${writeDay(session)} was issued before, as that of the week of ${writeDay(newest.week)}: wait for the rows of the next close.`;
  return { status: 'withheld', reason, session, source, inputs };
}

/** A week that nobody decided until it was no news any more: nothing was read, nothing is sent. */
export function missedSignal(at: number): WithheldDecision {
  return {
    status: 'withheld',
    reason: `No server ran, or none could read the market, from when the signal fell due (${asOf(new Date(at).toISOString()).text}) until two days after.`,
    session: null,
    source: null,
    inputs: signalInputs(
      { metrics: null, sectors: [], indicators: null, sentiment: [], breadth: null },
      null,
    ),
  };
}
