import { bandAbove, bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

const REST = Number.NEGATIVE_INFINITY;

/* Specification, section 9. "Under x" makes x the first value of the next band (`from`); "over x" leaves x in the
   band below (`above`). The specification has no tones: each is the usual meaning of the state for holders of
   stocks. */
export const VIX_BANDS = [
  { from: 25, label: 'High Volatility', tone: 'negative' },
  { from: 15, label: 'Moderate', tone: 'neutral' },
  { from: REST, label: 'Low Volatility', tone: 'positive' },
] as const;

export const PUT_CALL_BANDS = [
  { from: 1.2, label: 'Very Bearish', tone: 'negative' },
  { from: 1, label: 'Bearish', tone: 'negative' },
  { from: 0.8, label: 'Bullish', tone: 'positive' },
  { from: REST, label: 'Very Bullish', tone: 'positive' },
] as const;

export const TRIN_BANDS = [
  { from: 1.2, label: 'Strong Selling', tone: 'negative' },
  { from: 0.8, label: 'Neutral', tone: 'neutral' },
  { from: REST, label: 'Strong Buying', tone: 'positive' },
] as const;

export const MCCLELLAN_BANDS = [
  { above: 50, label: 'Overbought', tone: 'neutral' },
  { above: 0, label: 'Positive', tone: 'positive' },
  { above: -50, label: 'Negative', tone: 'negative' },
  { above: REST, label: 'Oversold', tone: 'neutral' },
] as const;

export const HIGH_LOW_BANDS = [
  { above: 60, label: 'Strong', tone: 'positive' },
  { above: 40, label: 'Moderate', tone: 'neutral' },
  { above: REST, label: 'Weak', tone: 'negative' },
] as const;

/** Bands of the absolute value of the TICK: the lead of the rising stocks or of the falling stocks. */
export const TICK_BANDS = [
  { above: 600, label: 'Extreme' },
  { above: 300, label: 'Strong' },
  { above: REST, label: 'Moderate' },
] as const;

/** The band of the VIX, in points. */
export const vixBand = (value: number) => bandFrom(VIX_BANDS, asDisplayed('vix', value));

/** The band of the put/call ratio. */
export const putCallBand = (value: number) => bandFrom(PUT_CALL_BANDS, asDisplayed('ratio', value));

/** The band of the Arms index. */
export const trinBand = (value: number) => bandFrom(TRIN_BANDS, asDisplayed('ratio', value));

/** The band of the ratio-adjusted McClellan oscillator. */
export const mcclellanBand = (value: number) => bandAbove(MCCLELLAN_BANDS, asDisplayed('mcclellan', value));

/** The band of the High/Low index, in percent. */
export const highLowBand = (value: number) => bandAbove(HIGH_LOW_BANDS, asDisplayed('score', value));

/** The band of the TICK, in stocks. */
export const tickBand = (value: number) => bandAbove(TICK_BANDS, Math.abs(asDisplayed('tick', value)));
