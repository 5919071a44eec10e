/** The seven inputs of the signal with their weights in percent, in the order they are shown. */
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
