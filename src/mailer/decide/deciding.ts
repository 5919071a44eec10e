import type { Database, Transaction } from '#database/port.ts';
import type { SignalTime } from '../settings.ts';
import { newestSignal, nextSignal, weekOf } from '../week.ts';
import { decideSignalOfWeek, missedSignal, unlessIssued } from './decide.ts';
import type { Decision } from './decision.ts';
import { type Issue, newestIssues, recordDecision } from './ledger.ts';
import { type MarketReading, readingInstant } from './reading.ts';

const HOUR = 3_600_000;
/** So long (ms) the schedule waits for rows that may be sent, from when the signal fell due or this process began. */
export const PATIENCE_WITH_ROWS = 6 * HOUR;
/** A signal that fell due so long ago (ms) is no news any more. */
export const NEWS_LASTS = 48 * HOUR;

export interface DecidingOptions {
  readonly database: Database;
  readonly time: SignalTime;
  /** What the signal is decided from, its past seen from an instant (epoch ms). */
  readonly readMarket: (now: number) => Promise<MarketReading>;
  /** When this process began (epoch ms): what a stopped server missed is collected first. */
  readonly began: number;
  readonly now: () => number;
}

/** What stands for the newest week, or that nothing does yet. */
export type Decided =
  | { readonly state: 'new' | 'stood'; readonly issue: Issue; readonly nextAt: number }
  /** Nothing is due. */
  | { readonly state: 'none'; readonly nextAt: number }
  /** The rows may not be sent as they are, which is not final. */
  | {
      readonly state: 'waiting';
      readonly week: string;
      readonly reason: string;
      readonly nextAt: number;
    };

export interface Deciding {
  /** What the schedule does at each tick: decides what is due, with patience for rows that are not there yet. */
  ifDue(): Promise<Decided>;
  /** What an operator asks for: decides what is due, or this week's `atOnce`; a refusal of what is due is final. */
  byHand(options: { atOnce: boolean }): Promise<Decided>;
}

/** When the first signal falls due that is of a later week than `week`, the newest one decided ('' for none). */
export function nextUndecided(now: number, time: SignalTime, week: string): number {
  const next = nextSignal(now, time);
  return next.week > week ? next.at : nextSignal(next.at, time).at;
}

export function createDeciding({ database, time, readMarket, began, now }: DecidingOptions): Deciding {
  /** The newest week known to be on record. */
  let known = '';

  const nextAt = () => nextUndecided(now(), time, known);
  const nothing = (): Decided => ({ state: 'none', nextAt: nextAt() });
  const waiting = (week: string, reason: string): Decided => ({
    state: 'waiting',
    week,
    reason,
    nextAt: nextAt(),
  });
  const onRecord = (state: 'new' | 'stood', issue: Issue): Decided => {
    known = issue.week;
    return { state, issue, nextAt: nextAt() };
  };

  async function record(week: string, decision: Decision): Promise<Decided> {
    const { isNew, mail: _, ...issue } = await recordDecision(database, { week, decision, now: now() });
    return onRecord(isNew ? 'new' : 'stood', issue);
  }

  /** Of the weeks up to this one: what a clock that was wrong put down for a later one holds none of them up. */
  const newestIssue = async (): Promise<Issue | undefined> => {
    const read = (transaction: Transaction) => newestIssues(transaction, 1, weekOf(now()));
    return (await database.transaction(read, { readOnly: true }))[0];
  };

  const decide = async (at: number, newest: Issue | undefined): Promise<Decision> => {
    const reading = await readMarket(readingInstant(at));
    return unlessIssued(decideSignalOfWeek(reading, { now: now(), at }), newest);
  };

  /** Whether an installation is so new that it has nothing to withhold: no row was ever collected. */
  const isNew = (decision: Decision, newest: Issue | undefined): boolean =>
    decision.session === null && newest === undefined;

  /** What stands already, or why there is nothing to decide; null where there is. */
  async function settled(week: string, at: number, newest: Issue | undefined): Promise<Decided | null> {
    if (newest !== undefined && newest.week >= week) return onRecord('stood', newest);
    if (now() - at <= NEWS_LASTS) return null;
    // Before its first signal an installation has missed none.
    return newest === undefined ? nothing() : record(week, missedSignal(at));
  }

  return {
    async ifDue() {
      const { week, at } = newestSignal(now(), time);
      if (known >= week && known <= weekOf(now())) return nothing();
      const newest = await newestIssue();
      const before = await settled(week, at, newest);
      if (before !== null) return before;
      const decision = await decide(at, newest);
      if (decision.status === 'issued') return record(week, decision);
      const isOver = now() >= Math.max(at, began) + PATIENCE_WITH_ROWS;
      const isFinal = isOver && !isNew(decision, newest);
      return isFinal ? record(week, decision) : waiting(week, decision.reason);
    },

    async byHand({ atOnce }) {
      const { week, at } = atOnce ? { week: weekOf(now()), at: now() } : newestSignal(now(), time);
      const newest = await newestIssue();
      const before = await settled(week, at, newest);
      if (before !== null) return before;
      const first = await decide(at, newest);
      // What was read while a run of the collector was publishing is read once more: a refusal is for good.
      const decision = first.status === 'issued' ? first : await decide(at, newest);
      if (decision.status === 'issued') return record(week, decision);
      // Whoever asks too early does not take this week's signal from the subscribers.
      const isEarly = newestSignal(now(), time).week < week || isNew(decision, newest);
      return isEarly ? waiting(week, decision.reason) : record(week, decision);
    },
  };
}
