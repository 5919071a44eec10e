import { asDisplayed } from '../bands/precision.ts';
import { nextSession } from '../calendar/sessions.ts';

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

/** One of the measurements whose mean is an input of the signal, 0–100; null if it is missing. */
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

/** An input that is further behind the newest one, in sessions, counts as missing (specification, reading 22). */
export const SESSIONS_KEPT = 5;

/** 'older': from an earlier session than the newest input. 'expired': more than five sessions behind it. */
export type InputAge = 'newest' | 'older' | 'expired';

/** The session of each input (null without rows) and its age. */
export type InputAges = Readonly<Record<SignalInput, { session: string | null; age: InputAge }>>;

/** The age of an input by its session and the newest session of all inputs, both `YYYY-MM-DD`. */
function inputAge(session: string, newest: string): InputAge {
  if (session >= newest) return 'newest';
  return nextSession(session, SESSIONS_KEPT + 1) <= newest ? 'expired' : 'older';
}

/** The ages of all inputs; one without rows counts as 'newest'. */
export function inputAges(inputs: SignalInputs): InputAges {
  const sessions = SIGNAL_INPUTS.map((input) => inputs[input].session ?? '');
  const newest = sessions.sort().at(-1) ?? '';
  const ages = SIGNAL_INPUTS.map((input) => {
    const { session } = inputs[input];
    return [input, { session, age: session === null ? 'newest' : inputAge(session, newest) }];
  });
  return Object.fromEntries(ages);
}

/** The mean of the present inputs' displayed scores by weight, rounded once (reading 26). Null without an input. */
export function weightedScore(
  rows: readonly { readonly score: number | null; readonly weight: number }[],
): number | null {
  const present = rows.flatMap(({ score, weight }) => (score === null ? [] : { score, weight }));
  const weight = present.reduce((total, row) => total + row.weight, 0);
  const sum = present.reduce((total, row) => total + row.score * row.weight, 0);
  // Whole percents of scores with one decimal: this rounding only removes binary errors, so that 60.95 rounds up.
  return weight === 0 ? null : asDisplayed('score', asDisplayed('score', sum) / weight);
}
