import { roundTo } from '#domain/bands/precision.ts';
import { UNKNOWN } from '../number.ts';
import { weeklyMove } from '../risk-view.ts';
import { INPUT_NAMES } from '../signal-inputs.ts';
import { type CurrentData, dataState, demoText, isDemo, usableFearGreed } from './data-state.ts';

/** The risk outlook of the next four weeks: shares of 1, no direction. Null without a current one. */
function riskOf({ risk = null }: CurrentData) {
  if (risk === null) return null;
  const { session, inputs, volatility, worstLine, fall } = risk;
  const rounded = (share: number) => roundTo(share, 4);
  const { low, middle, high } = volatility;
  return {
    ...{ session, inputs },
    // The volatility a week and its 80 % range.
    weekly_move: {
      low: rounded(weeklyMove(low)),
      middle: rounded(weeklyMove(middle)),
      high: rounded(weeklyMove(high)),
    },
    // One week in ten has a close below this change within four weeks.
    worst_line: rounded(worstLine),
    // The probability of a close 5 % or more lower within four weeks.
    fall_probability: rounded(fall),
  };
}

export function currentSignal(data: CurrentData) {
  const { signal, age } = data.view;
  const fearGreed = usableFearGreed(data.view)?.view ?? null;
  const { next, sinceLastWeek } = signal;
  return {
    ...dataState(data),
    demonstration: isDemo(data),
    session: age?.asOf.session ?? null,
    verdict: signal.verdict === 'Insufficient data' ? null : signal.verdict,
    score: signal.score.value,
    // The lowest and highest possible score, depending on the missing inputs; null if none is missing.
    range: signal.range && { low: signal.range.low, high: signal.range.high },
    // A score that is too old to count is null.
    inputs: signal.rows.map(({ input, weightText, score, olderSession }) => ({
      input,
      name: INPUT_NAMES[input],
      weight_percent: weightText === UNKNOWN ? null : Number.parseFloat(weightText),
      score: score.value,
      session: olderSession ?? (score.value === null ? null : (signal.asOf?.session ?? null)),
    })),
    // The nearest other verdict and its distance in points.
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
