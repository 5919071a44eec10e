import { type Database, READ_ONLY } from '#database/port.ts';
import { publishedInstant } from '#domain/calendar/sessions.ts';
import { readClockFault } from '#record/clock.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { writeDay } from '#views/day.ts';
import type { MailSettings, SignalTime } from '../mailer-settings.ts';
import { newestSignal, nextSignal, type SignalWeek, weekOf } from '../week.ts';
import {
  type Decision,
  decideWeek,
  decisionOfMissedWeek,
  type MarketReading,
  readingInstant,
  sourceOfSignalRows,
  type WeekDecision,
  type WithheldDecision,
} from './decide-week.ts';
import { readMarket as readFrom } from './read-market.ts';
import { type Issue, newestIssues, recordDecision } from './stored-decisions.ts';
import { AWAIT_CLOSE, type WithholdReason } from './withhold-reason.ts';

const HOUR = 3_600_000;
/** Time (ms) to wait for complete rows before a signal is withheld, from its due time or the start of this process. */
export const WAIT_FOR_ROWS_MS = 6 * HOUR;
/** A signal that has been due for this long (ms) is withheld. */
export const SIGNAL_EXPIRES_MS = 48 * HOUR;

export interface SignalScheduleOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  /** Reads the input of a decision with the clock `now` (epoch ms); by default from the database. */
  readonly readMarket?: (now: number) => Promise<MarketReading>;
  /** Start of this process (epoch ms). It must first collect the sessions missed while no process ran. */
  readonly began: number;
  readonly now: () => number;
}

/** Result of a decision. 'new': this call has recorded the issue. 'existing': the issue had been recorded before. */
type Result =
  /** `nextStep` is the operator's if the signal was withheld; null if nothing can be done. */
  | { readonly state: 'new'; readonly issue: Issue; readonly nextStep: string | null }
  | { readonly state: 'existing'; readonly issue: Issue }
  /** Nothing to decide now: no signal is due, or it was decided before, or the data can have no signal. */
  | { readonly state: 'none' }
  /** The signal would be withheld now, but the missing rows may still arrive, or rows are later than the clock. */
  | (WithholdReason & { readonly state: 'waiting'; readonly week: string });

export type Decided = Result & {
  /** The due time (epoch ms) of the first undecided signal. */
  readonly nextAt: number;
};

/** The due time (epoch ms) of the first undecided signal after `now`. `week` is the last decided week, or ''. */
export function nextUndecided(now: number, time: SignalTime, week: string): number {
  const next = nextSignal(now, time);
  return next.week > week ? next.at : nextSignal(next.at, time).at;
}

/** The instant (epoch ms) up to which rows count for the signal due at `at`: later ones were unpublished then. */
export const lastRowInstant = (at: number, { publishDelay = 0 }: MailSettings): number =>
  publishedInstant(at, publishDelay);

/** Withholds a signal whose close the newest issue already has, as after a change of SIGNAL_AT. */
export function withholdIfRepeated<T extends Decision>(
  decision: T,
  newest: Pick<Issue, 'week' | 'status' | 'session'> | undefined,
): T | WithheldDecision {
  if (decision.status !== 'issued' || newest?.status !== 'issued') return decision;
  if (newest.session === null || newest.session < decision.session) return decision;
  const { session, source, inputs } = decision;
  const reason = `The signal of the close of ${writeDay(session)} was issued for the week of ${writeDay(newest.week)}.`;
  return { status: 'withheld', reason, nextStep: AWAIT_CLOSE, session, source, inputs };
}

/** Decides no week: each replay moves the sessions to other days, so its record would describe another past. */
const NOT_RECORDED: MarketSource = 'replay';

export function createSignalSchedule(options: SignalScheduleOptions) {
  const { database, settings, began, now } = options;
  const { readMarket = (at) => readFrom(database, at) } = options;
  const { signalTime: time, publishDelay: delay } = settings;
  /** The newest week that is known to be decided. With it, most calls need no read of the database. */
  let known = '';

  async function record(week: string, decision: WeekDecision): Promise<Result> {
    const { isNew, issue } = await recordDecision(database, { week, decision, frame: settings, now: now() });
    known = issue.week;
    if (!isNew) return { state: 'existing', issue };
    return { state: 'new', issue, nextStep: decision.status === 'withheld' ? decision.nextStep : null };
  }

  /** Decides a week that has no decision yet. `isDeadlineOver` returns true if an incomplete signal must be withheld. */
  async function decide({ week, at }: SignalWeek, isDeadlineOver: () => boolean): Promise<Result> {
    // Ignores later weeks, which a process with a wrong clock may have recorded.
    const { newest, clockFault } = await database.transaction(
      async (transaction) => ({
        newest: (await newestIssues(transaction, 1, weekOf(now())))[0],
        clockFault: await readClockFault(transaction, now()),
      }),
      READ_ONLY,
    );
    if (newest !== undefined && newest.week >= week) {
      known = newest.week;
      return { state: 'existing', issue: newest };
    }
    if (clockFault !== null) return { state: 'waiting', week, reason: clockFault, nextStep: null };
    if (now() - at > SIGNAL_EXPIRES_MS) {
      // A new installation has missed no signal, so there is nothing to decide.
      if (newest === undefined) return { state: 'none' };
      const { rows } = await readMarket(readingInstant(at));
      const source = sourceOfSignalRows(rows);
      if (source === NOT_RECORDED) return { state: 'none' };
      return record(week, decisionOfMissedWeek(at, source));
    }
    const read = async () => {
      const reading = await readMarket(readingInstant(at));
      return withholdIfRepeated(decideWeek(reading, { now: now(), at, delay }), newest);
    };
    const first = await read();
    if (first.source === NOT_RECORDED) return { state: 'none' };
    if (first.status === 'issued') return record(week, first);
    // A new installation that has not collected any row yet must wait for rows.
    const isNew = first.session === null && newest === undefined;
    if (isNew || !isDeadlineOver()) {
      const { reason, nextStep } = first;
      return { state: 'waiting', week, reason, nextStep };
    }
    // Reads the rows again before it withholds the signal, because a collector may have published new rows during the first
    // read.
    return record(week, await read());
  }

  const dated = (result: Result): Decided => ({ ...result, nextAt: nextUndecided(now(), time, known) });

  return {
    /** Decides the signal that is due. If rows are missing, waits for them: the next call tries again. Called once a minute. */
    async ifDue(): Promise<Decided> {
      const due = newestSignal(now(), time);
      if (known >= due.week && known <= weekOf(now())) return dated({ state: 'none' });
      return dated(await decide(due, () => now() >= Math.max(due.at, began) + WAIT_FOR_ROWS_MS));
    },

    /** Decides the due signal without waiting for rows, or, with `atOnce`, this week's before it is due. */
    async byHand({ atOnce }: { atOnce: boolean }): Promise<Decided> {
      const asked = atOnce ? { week: weekOf(now()), at: now() } : newestSignal(now(), time);
      // The signal of a week that is not due yet is never withheld.
      return dated(await decide(asked, () => newestSignal(now(), time).week >= asked.week));
    },
  };
}
