import { roundTo } from '#domain/bands/precision.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { UNKNOWN } from '../number.ts';
import { weeklyMove } from '../risk-view.ts';
import { INPUT_NAMES } from '../signal-inputs.ts';
import {
  type CurrentData,
  type DataState,
  dataState,
  demoText,
  isDemo,
  usableFearGreed,
} from './data-state.ts';

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
  /** The score (0–100), the weight (percent) and the session of each input. A score that is too old to count is null. */
  inputs: {
    input: string;
    name: string;
    weight_percent: number | null;
    score: number | null;
    session: string | null;
  }[];
  /** The nearest other verdict and its distance in points. */
  next: { verdict: Verdict; points: number | null } | null;
  week_ago: { session: string; verdict: Verdict; change: number | null } | null;
  /** Null without a value, and for one that is too old to count. */
  fear_greed: { value: number; label: string; session: string } | null;
  /** The risk outlook of the next four weeks: shares of 1, no direction. Null without a current one. */
  risk: {
    session: string;
    inputs: string;
    /** The volatility a week and its 80 % range. */
    weekly_move: { low: number; middle: number; high: number };
    /** One week in ten has a close below this change within four weeks. */
    worst_line: number;
    /** The probability of a close 5 % or more lower within four weeks. */
    fall_probability: number;
  } | null;
  disclaimer: string;
}

function riskOf({ risk = null }: CurrentData): CurrentSignal['risk'] {
  if (risk === null) return null;
  const { session, inputs, volatility, worstLine, fall } = risk;
  const rounded = (share: number) => roundTo(share, 4);
  const { low, middle, high } = volatility;
  return {
    ...{ session, inputs },
    weekly_move: {
      low: rounded(weeklyMove(low)),
      middle: rounded(weeklyMove(middle)),
      high: rounded(weeklyMove(high)),
    },
    ...{ worst_line: rounded(worstLine), fall_probability: rounded(fall) },
  };
}

export function currentSignal(data: CurrentData): CurrentSignal {
  const { signal, age } = data.view;
  const fearGreed = usableFearGreed(data.view)?.view ?? null;
  const { next, sinceLastWeek } = signal;
  return {
    ...dataState(data),
    demonstration: isDemo(data),
    session: age?.asOf.session ?? null,
    verdict: signal.verdict === 'Insufficient data' ? null : signal.verdict,
    score: signal.score.value,
    range: signal.range && { low: signal.range.low, high: signal.range.high },
    inputs: signal.rows.map(({ input, weightText, score, olderSession }) => ({
      input,
      name: INPUT_NAMES[input],
      weight_percent: weightText === UNKNOWN ? null : Number.parseFloat(weightText),
      score: score.value,
      session: olderSession ?? (score.value === null ? null : (signal.asOf?.session ?? null)),
    })),
    next: next && { verdict: next.verdict, points: next.distance.value },
    week_ago: sinceLastWeek && {
      session: sinceLastWeek.session,
      verdict: sinceLastWeek.verdict,
      change: sinceLastWeek.change.value,
    },
    fear_greed: fearGreed && {
      value: fearGreed.current.value,
      label: fearGreed.current.label,
      session: fearGreed.asOf.session,
    },
    risk: riskOf(data),
    disclaimer: [demoText(data), signal.disclaimer].filter((text) => text !== null).join('. '),
  };
}
