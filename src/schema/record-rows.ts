import type { Row } from './columns.ts';

/**
 * The decision of one week. `session` is that of the rows from which it was decided. The columns from `verdict` to
 * `sp500_close` are null if the week was withheld. `origin` is 'rebuilt' if the week was computed later, for a simulated market.
 */
export const ISSUED_SIGNALS =
  'week!,status!,reason,decided_at!,session,source,verdict,score,range_low,range_high,sp500_close,formula_version!,origin';
export type IssuedSignalRow = Row<typeof ISSUED_SIGNALS>;

/** The change of the S&P 500 after a week's decision, in percent of its entry close. A void grade lacks some columns. */
export const SIGNAL_GRADES =
  'id!,week!,horizon_weeks!,entry_session,entry_close,exit_session,exit_close,change_percent,status!,reason,graded_at!,replaces';
export type SignalGradeRow = Row<typeof SIGNAL_GRADES>;

/** A change of the verdict that two closes in a row have confirmed. `session` is that of the second close. */
export const VERDICT_CHANGES = 'id!,session!,at!,from_verdict!,to_verdict!,score,source,formula_version!';
export type VerdictChangeRow = Row<typeof VERDICT_CHANGES>;

/** The whole record: every decision in the order of the weeks, and every grade in the order of the ids. */
export interface RecordRows {
  readonly weeks: readonly IssuedSignalRow[];
  readonly grades: readonly SignalGradeRow[];
}

/** The newest delivery of a checkpoint to one place, and the newest anchor there. */
export interface AnchorState {
  readonly kind: 'git' | 'timestamp' | 'witness';
  /** 'sent', 'pending' or 'expired'. */
  readonly status: string;
  /** Number of attempts at the newest checkpoint. */
  readonly attempts: number;
  /** The sentence about the last failed attempt; null if there was none. */
  readonly reply: string | null;
  /** The public name of the place; null before the first anchor. */
  readonly authority: string | null;
  /** Time of the newest anchor (epoch ms); null if there is none. */
  readonly anchoredAt: number | null;
}

/** A checkpoint after a decision. `lines` are the signatures of witnesses. */
export interface DecisionCheckpoint {
  /** The Monday of the week. */
  readonly week: string;
  readonly checkpoint: string;
  readonly lines: string | null;
}

/** The checkpoints after the two newest decisions, newest first, and the external anchors. */
export interface LedgerAnchors {
  readonly checkpoints: readonly DecisionCheckpoint[];
  readonly places: readonly AnchorState[];
}
