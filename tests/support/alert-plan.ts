import type { Verdict } from '#domain/bands/score-bands.ts';
import { nextSession } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';

/** One session of a planned market. */
export interface PlannedSession {
  readonly session: string;
  /** The published rows; null if none are. */
  readonly rows: {
    readonly score: number;
    readonly source?: MarketSource;
    readonly isMixed?: boolean;
  } | null;
  /** The verdict before, if the session makes a change that must be sent. */
  readonly changesFrom: Verdict | null;
}

const SCORES = { BUY: 70, HOLD: 50, SELL: 30 } as const satisfies Record<Verdict, number>;
const ORDER = ['HOLD', 'BUY', 'SELL'] as const;
const FIRST = '2025-01-06';

type Step = Pick<PlannedSession, 'rows'> & { readonly changesFrom?: Verdict };

const live = (verdict: Verdict, isMixed = false): Step => ({ rows: { score: SCORES[verdict], isMixed } });

/** Sequences of sessions that interrupt a verdict for too short a time for a change, and end with that verdict. */
const INTERRUPTIONS: readonly ((verdict: Verdict, other: Verdict) => Step[])[] = [
  // A single closing run with the other verdict.
  (verdict, other) => [live(other), live(verdict)],
  // Two closing runs with mixed sessions.
  (verdict, other) => [live(other, true), live(other, true), live(verdict)],
  // A session without rows between two closing runs.
  (verdict, other) => [live(other), { rows: null }, live(other), live(verdict)],
  // A closing run with mixed sessions between two others.
  (verdict, other) => [live(other), live(other, true), live(other), live(verdict)],
];

/**
 * Sessions of a market that begins with demonstration data and then changes its verdict this many times. Closes that must
 * not count as a change follow each change.
 */
export function planChanges(count: number): PlannedSession[] {
  const demo = (verdict: Verdict): Step => ({ rows: { score: SCORES[verdict], source: 'simulated' } });
  const steps: Step[] = [demo('SELL'), demo('SELL'), demo('BUY'), demo('BUY'), live('HOLD'), live('HOLD')];
  for (let at = 0; at < count; at += 1) {
    const from = ORDER[at % ORDER.length] ?? 'HOLD';
    const to = ORDER[(at + 1) % ORDER.length] ?? 'HOLD';
    steps.push(live(to), { ...live(to), changesFrom: from });
    steps.push(...(INTERRUPTIONS[at % INTERRUPTIONS.length]?.(to, from) ?? []));
  }
  let session = FIRST;
  return steps.map(({ rows, changesFrom = null }) => {
    const planned = { session, rows, changesFrom };
    session = nextSession(session);
    return planned;
  });
}
