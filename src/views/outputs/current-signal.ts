import type { Verdict } from '#domain/bands/verdict.ts';
import { INPUT_NAMES } from '../input-names.ts';
import { type CurrentData, type DataState, dataState, isDemo } from './data-state.ts';

/** The content of `/signal.json`. A number that is not known is null. */
export interface CurrentSignal extends DataState {
  /** True if the numbers are simulated, or past numbers shown under a current date. */
  demonstration: boolean;
  /** The newest session with data, `YYYY-MM-DD`. */
  session: string | null;
  /** Null with too little data for a signal. */
  verdict: Verdict | null;
  /** 0–100, one decimal. */
  score: number | null;
  /** The lowest and highest possible score, depending on the missing inputs; null if none is missing. */
  range: { low: number; high: number } | null;
  /** The score (0–100) and the weight (percent) of each input. */
  inputs: { input: string; name: string; weight_percent: number; score: number | null }[];
  /** The nearest other verdict and its distance in points. */
  next: { verdict: Verdict; points: number | null } | null;
  week_ago: { session: string; verdict: Verdict; change: number | null } | null;
  fear_greed: { value: number; label: string } | null;
  disclaimer: string;
}

export function currentSignal(data: CurrentData): CurrentSignal {
  const { signal, fearGreed, age } = data.view;
  const { next, sinceLastWeek } = signal;
  return {
    ...dataState(data),
    demonstration: isDemo(data),
    session: age?.asOf.session ?? null,
    verdict: signal.verdict === 'Insufficient data' ? null : signal.verdict,
    score: signal.score.value,
    range: signal.range && { low: signal.range.low, high: signal.range.high },
    inputs: signal.rows.map(({ input, weightText, score }) => ({
      input,
      name: INPUT_NAMES[input],
      weight_percent: Number.parseFloat(weightText),
      score: score.value,
    })),
    next: next && { verdict: next.verdict, points: next.distance.value },
    week_ago: sinceLastWeek && {
      session: sinceLastWeek.session,
      verdict: sinceLastWeek.verdict,
      change: sinceLastWeek.change.value,
    },
    fear_greed: fearGreed && { value: fearGreed.current.value, label: fearGreed.current.label },
    disclaimer: signal.disclaimer,
  };
}
