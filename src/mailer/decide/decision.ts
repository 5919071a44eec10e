import type { Verdict } from '#domain/bands/verdict.ts';
import type { SignalInputs } from '#domain/signal/inputs.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { WeeklySignalView } from '#views/model.ts';

/** The signal of a week, frozen. */
export interface IssuedDecision {
  readonly status: 'issued';
  /** `YYYY-MM-DD`. */
  readonly session: string;
  readonly source: MarketSource | null;
  readonly verdict: Verdict;
  readonly score: number;
  readonly range: { readonly low: number; readonly high: number } | null;
  /** The close of the S&P 500; null where it is not measured. */
  readonly sp500Close: number | null;
  readonly inputs: SignalInputs;
  readonly mail: WeeklySignalView;
}

/** A week in which nothing is sent, and why, in one plain sentence. */
export interface WithheldDecision {
  readonly status: 'withheld';
  readonly reason: string;
  readonly session: string | null;
  readonly source: MarketSource | null;
  readonly inputs: SignalInputs;
}

export type Decision = IssuedDecision | WithheldDecision;
