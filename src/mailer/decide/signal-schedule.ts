import type { Database } from '#database/port.ts';
import { writeDay } from '#views/day.ts';
import type { MailSettings, SignalTime } from '../mailer-settings.ts';
import { newestSignal, nextSignal, type SignalWeek, weekOf } from '../week.ts';
import {
  type Decision,
  decideSignalOfWeek,
  type MarketReading,
  missedSignal,
  readingInstant,
  sourceOf,
} from './decision.ts';
import { type Issue, newestIssues, recordDecision } from './ledger.ts';

const HOUR = 3_600_000;
/** Time (ms) to wait for complete rows before a signal is withheld, from its due time or the start of this process. */
export const WAIT_FOR_ROWS_MS = 6 * HOUR;
/** A signal is withheld when it has been due for this long (ms). */
export const SIGNAL_EXPIRES_MS = 48 * HOUR;

export interface SignalScheduleOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  /** Reads the market as of an instant (epoch ms). */
  readonly readMarket: (now: number) => Promise<MarketReading>;
  /** Start of this process (epoch ms). A new process first collects the sessions that were missed while none ran. */
  readonly began: number;
  readonly now: () => number;
}

/** Result of a decision. 'new': this call recorded the issue. 'existing': the issue was recorded before. */
export type Decided =
  | { readonly state: 'new' | 'existing'; readonly issue: Issue; readonly nextAt: number }
  /** Nothing is due. */
  | { readonly state: 'none'; readonly nextAt: number }
  /** The signal would be withheld now, but its rows may still arrive. */
  | {
      readonly state: 'waiting';
      readonly week: string;
      readonly reason: string;
      readonly nextAt: number;
    };

export interface SignalSchedule {
  /** Decides the signal that is due, but waits for missing rows. Called once a minute. */
  ifDue(): Promise<Decided>;
  /** Decides the signal that is due, or with `atOnce` this week's before its time. Withholds a due signal without waiting. */
  byHand(options: { atOnce: boolean }): Promise<Decided>;
}

/** Time (epoch ms) at which the first undecided signal after `now` is due; `week` is the last decided week, or ''. */
export function nextUndecided(now: number, time: SignalTime, week: string): number {
  const next = nextSignal(now, time);
  return next.week > week ? next.at : nextSignal(next.at, time).at;
}

/**
 * Withholds a decision if `newest`, the newest issue, was issued from the same close. Otherwise a change of SIGNAL_AT over
 * a weekend, or `signal send --now` on a Monday morning, would send the same signal for two weeks.
 */
export function withholdIfIssued(
  decision: Decision,
  newest: Pick<Issue, 'week' | 'status' | 'session'> | undefined,
): Decision {
  if (decision.status !== 'issued' || newest?.status !== 'issued') return decision;
  if (newest.session === null || newest.session < decision.session) return decision;
  const { session, source, inputs } = decision;
  const reason = `The signal of the close of ${writeDay(session)} was issued for the week of ${writeDay(newest.week)}; wait for the rows of the next close.`;
  return { status: 'withheld', reason, session, source, inputs };
}

export function createSignalSchedule(options: SignalScheduleOptions): SignalSchedule {
  const { database, settings, readMarket, began, now } = options;
  const time = settings.signalTime;
  /** The newest recorded week. Saves a read each minute. */
  let known = '';

  const nextAt = () => nextUndecided(now(), time, known);

  const recorded = (state: 'new' | 'existing', issue: Issue): Decided => {
    known = issue.week;
    return { state, issue, nextAt: nextAt() };
  };

  async function record(week: string, decision: Decision): Promise<Decided> {
    const { isNew, ...issue } = await recordDecision(database, {
      week,
      decision,
      frame: settings,
      now: now(),
    });
    return recorded(isNew ? 'new' : 'existing', issue);
  }

  /** Decides a week unless it is recorded. `isFinal` returns true if an incomplete signal must be withheld now. */
  async function decide({ week, at }: SignalWeek, isFinal: () => boolean): Promise<Decided> {
    // Ignores weeks after the current one. A process with a wrong clock may have recorded them.
    const [newest] = await database.transaction(
      (transaction) => newestIssues(transaction, 1, weekOf(now())),
      { readOnly: true },
    );
    if (newest !== undefined && newest.week >= week) return recorded('existing', newest);
    if (now() - at > SIGNAL_EXPIRES_MS) {
      // A new installation has not missed any signal.
      if (newest === undefined) return { state: 'none', nextAt: nextAt() };
      const { rows } = await readMarket(readingInstant(at));
      return record(week, missedSignal(at, sourceOf(rows)));
    }
    const read = async () => {
      const reading = await readMarket(readingInstant(at));
      return withholdIfIssued(decideSignalOfWeek(reading, { now: now(), at }), newest);
    };
    const first = await read();
    if (first.status === 'issued') return record(week, first);
    // A new installation that has not collected any row waits.
    const isNew = first.session === null && newest === undefined;
    if (isNew || !isFinal()) return { state: 'waiting', week, reason: first.reason, nextAt: nextAt() };
    // Reads again before the final decision, because a collector may have published during the first read.
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
      // Never withholds this week's signal before it is due.
      return decide(asked, () => newestSignal(now(), time).week >= asked.week);
    },
  };
}
