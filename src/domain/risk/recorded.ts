import type { RiskJudgement } from './judgement.ts';
import type { RiskOutlook } from './outlook.ts';
import type { RiskOutcome } from './past-weeks.ts';
import type { WorstOfBand } from './worst-by-band.ts';

/** The content of a recorded outlook. A rebuilt one lacks the table and the judgement, unless it is the newest. */
export interface RecordedOutlook extends RiskOutlook {
  /** The worst closes of all weeks before it, by band of the VIX. */
  readonly bands?: readonly WorstOfBand[];
  /** The outlooks that the same rule would have given in all weeks before it, each from its own past only. */
  readonly past?: RiskJudgement | null;
  /** The session of the first close of the history. */
  readonly since?: string;
}

/** The content of a recorded outcome: the figures of the 20 sessions, or the reason why there are none. */
export type RecordedOutcome = RiskOutcome | { readonly voidReason: string };

/** A recorded outlook with its newest outcome. */
export interface RecordedWeek {
  readonly origin: 'live' | 'rebuilt';
  readonly outlook: RecordedOutlook;
  /** Null until 20 sessions have passed. */
  readonly outcome: RecordedOutcome | null;
}
