import type { Database } from '#database/port.ts';
import { writeDay } from '#views/day.ts';
import type { SignalTime } from '../mailer-settings.ts';
import { newestSignal, nextSignal, type SignalWeek, weekOf } from '../week.ts';
import {
  type Decision,
  decideSignalOfWeek,
  type MarketReading,
  missedSignal,
  readingInstant,
} from './decision.ts';
import { type Issue, newestIssues, recordDecision } from './ledger.ts';

const HOUR = 3_600_000;
/** Wait (ms) for complete rows, from when the signal fell due or this process started, before it is withheld. */
export const WAIT_FOR_ROWS_MS = 6 * HOUR;
/** A signal this long (ms) overdue is withheld. */
export const SIGNAL_EXPIRES_MS = 48 * HOUR;

export interface SignalScheduleOptions {
  readonly database: Database;
  readonly time: SignalTime;
  /** Reads the market as of an instant (epoch ms). */
  readonly readMarket: (now: number) => Promise<MarketReading>;
  /** When this process started (epoch ms): sessions missed while it was down are collected first. */
  readonly began: number;
  readonly now: () => number;
}

/** The newest week's issue ('new' if this call recorded it), or why there is none. */
export type Decided =
  | { readonly state: 'new' | 'stood'; readonly issue: Issue; readonly nextAt: number }
  /** Nothing is due. */
  | { readonly state: 'none'; readonly nextAt: number }
  /** The signal would be withheld now, which is not final yet. */
  | {
      readonly state: 'waiting';
      readonly week: string;
      readonly reason: string;
      readonly nextAt: number;
    };

export interface SignalSchedule {
  /** Decides the signal that is due, waiting for rows that are not there yet. Called once a minute. */
  ifDue(): Promise<Decided>;
  /** Decides the signal that is due, or this week's now with `atOnce`; withholds what is due without waiting. */
  byHand(options: { atOnce: boolean }): Promise<Decided>;
}

/** When (epoch ms) the first signal after `now` of a later week than `week` falls due; '' for no week decided yet. */
export function nextUndecided(now: number, time: SignalTime, week: string): number {
  const next = nextSignal(now, time);
  return next.week > week ? next.at : nextSignal(next.at, time).at;
}

/**
 * Withholds a decision if `newest`, the newest issue, was issued from the same close: moving the schedule over
 * a weekend, or `signal send --now` on a Monday morning, must not send the same signal for two weeks.
 */
function withholdIfIssued(decision: Decision, newest: Issue | undefined): Decision {
  if (decision.status !== 'issued' || newest?.status !== 'issued') return decision;
  if (newest.session === null || newest.session < decision.session) return decision;
  const { session, source, inputs } = decision;
  const reason = `The signal of the close of ${writeDay(session)} was issued before, as that of the week of ${writeDay(newest.week)}: wait for the rows of the next close.`;
  return { status: 'withheld', reason, session, source, inputs };
}

export function createSignalSchedule(options: SignalScheduleOptions): SignalSchedule {
  const { database, time, readMarket, began, now } = options;
  /** The newest week known to be recorded, which spares a read a minute. */
  let known = '';

  const nextAt = () => nextUndecided(now(), time, known);

  const recorded = (state: 'new' | 'stood', issue: Issue): Decided => {
    known = issue.week;
    return { state, issue, nextAt: nextAt() };
  };

  async function record(week: string, decision: Decision): Promise<Decided> {
    const { isNew, mail: _, ...issue } = await recordDecision(database, { week, decision, now: now() });
    return recorded(isNew ? 'new' : 'stood', issue);
  }

  /** Decides a week that is not recorded. `isFinal` tells if it is withheld for good now. */
  async function decide({ week, at }: SignalWeek, isFinal: () => boolean): Promise<Decided> {
    // Without weeks later than this one, which a wrong clock may have recorded: they must not hold up the next ones.
    const [newest] = await database.transaction(
      (transaction) => newestIssues(transaction, 1, weekOf(now())),
      { readOnly: true },
    );
    if (newest !== undefined && newest.week >= week) return recorded('stood', newest);
    if (now() - at > SIGNAL_EXPIRES_MS) {
      // Before its first signal an installation has missed none.
      return newest === undefined ? { state: 'none', nextAt: nextAt() } : record(week, missedSignal(at));
    }
    const read = async () => {
      const reading = await readMarket(readingInstant(at));
      return withholdIfIssued(decideSignalOfWeek(reading, { now: now(), at }), newest);
    };
    const first = await read();
    if (first.status === 'issued') return record(week, first);
    // A new installation that never collected a row has nothing to withhold.
    const isNew = first.session === null && newest === undefined;
    if (isNew || !isFinal()) return { state: 'waiting', week, reason: first.reason, nextAt: nextAt() };
    // Withholding is for good, and the first read may have met a collector that was publishing.
    return record(week, await read());
  }

  return {
    async ifDue() {
      const due = newestSignal(now(), time);
      if (known >= due.week && known <= weekOf(now())) return { state: 'none', nextAt: nextAt() };
      return decide(due, () => now() >= Math.max(due.at, began) + WAIT_FOR_ROWS_MS);
    },

    async byHand({ atOnce }) {
      const asked = atOnce ? { week: weekOf(now()), at: now() } : newestSignal(now(), time);
      // Asking before the signal is due must not withhold this week's.
      return decide(asked, () => newestSignal(now(), time).week >= asked.week);
    },
  };
}
