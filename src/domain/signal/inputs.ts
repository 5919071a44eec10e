/** The seven inputs of the signal with their weights in percent, in display order. */
export const SIGNAL_WEIGHTS = {
  fearGreed: 20,
  overallStrength: 20,
  marketExposure: 10,
  sentiment: 15,
  advancedIndicators: 15,
  sectors: 10,
  breadth: 10,
} as const;
export type SignalInput = keyof typeof SIGNAL_WEIGHTS;
export const SIGNAL_INPUTS = Object.keys(SIGNAL_WEIGHTS) as readonly SignalInput[];

/**
 * One of the measurements whose mean is an input of the signal. The score is 0 to 100; null if it is missing.
 */
export interface SignalPart {
  /** Null for an unknown part. */
  readonly name: string | null;
  readonly score: number | null;
}

/** An input of the signal, computed from its newest rows. */
export interface InputReading {
  /** The session of the input's rows, `YYYY-MM-DD`; null without rows. */
  readonly session: string | null;
  /** The parts whose mean is the score; most inputs have one. */
  readonly parts: readonly SignalPart[];
}

/** Every input of the signal. */
export type SignalInputs = Readonly<Record<SignalInput, InputReading>>;

/** The name of the part that is the put/call ratio. */
export const PUT_CALL = 'put/call';

function clamp(score: number): number {
  return Math.min(100, Math.max(0, score));
}

/** The parts of the score of the advanced indicators (specification, section 9), each clamped to 0–100. */
export function indicatorParts(indicators: {
  vix: number | null;
  putCallRatio: number | null;
  mcclellanOscillator: number | null;
}): SignalPart[] {
  const { vix, putCallRatio, mcclellanOscillator } = indicators;
  return [
    { name: 'VIX', score: vix === null ? null : clamp(100 - 2 * vix) },
    { name: PUT_CALL, score: putCallRatio === null ? null : clamp((1.5 - putCallRatio) * 100) },
    { name: 'McClellan', score: mcclellanOscillator === null ? null : clamp(mcclellanOscillator + 50) },
  ];
}

/** Advancing stocks in percent of all counted stocks; null if a count is missing or no stock was counted. */
export function advancingShare(
  advancing: number | null,
  declining: number | null,
  unchanged: number | null,
): number | null {
  if (advancing === null || declining === null || unchanged === null) return null;
  const total = advancing + declining + unchanged;
  return total >= 1 ? (advancing / total) * 100 : null;
}
