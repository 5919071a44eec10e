/** A value is rounded to these before it is classified and displayed, so that number and label always agree. */
export const DISPLAYED_DECIMALS = {
  /** Scores and percentages of 0–100: Fear & Greed, exposure, strength, sectors, sentiment, the signal. */
  score: 1,
  /** Points: score times weight. Three decimals are exact for whole percents, so that the rows add up. */
  points: 3,
  /** Weights in percent. They have decimals if an input is missing, because the others then share its weight. */
  weight: 2,
  vix: 2,
  /** Put/call ratio, TRIN and advance/decline ratio. */
  ratio: 2,
  mcclellan: 1,
  tick: 0,
  rsi: 1,
  macd: 2,
  price: 2,
  changePercent: 2,
} as const;
export type Quantity = keyof typeof DISPLAYED_DECIMALS;

/** Rounds half away from zero: 44.95 to one decimal is 45.0. Never returns −0. */
export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  // In binary, 1.005 · 100 is slightly less than 100.5. Adding the smallest relative step makes such a half round up.
  const scaled = Math.abs(value) * factor * (1 + Number.EPSILON);
  if (!Number.isFinite(scaled)) return value;
  const rounded = Math.round(scaled) / factor;
  return rounded === 0 ? 0 : Math.sign(value) * rounded;
}

/** Rounds a value to the displayed decimals of its kind. */
export function asDisplayed(quantity: Quantity, value: number): number {
  return roundTo(value, DISPLAYED_DECIMALS[quantity]);
}
