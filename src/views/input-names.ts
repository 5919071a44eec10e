import type { SignalInput } from '#domain/signal/inputs.ts';

/** Names of the signal's inputs in the breakdown. */
export const INPUT_NAMES: Record<SignalInput, string> = {
  fearGreed: 'Fear & Greed',
  overallStrength: 'Overall Strength',
  marketExposure: 'Market Exposure',
  sentiment: 'Market Sentiment',
  advancedIndicators: 'Advanced Indicators',
  sectors: 'Sector Strength',
  breadth: 'Market Breadth',
};
