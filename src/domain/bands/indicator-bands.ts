import { asDisplayed, type Quantity } from './precision.ts';
import { bandAbove, bandFrom, type Tone } from './score-bands.ts';

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

interface Indicator {
  readonly name: string;
  /** The columns of its value and of the name of the counted stocks, if it counts any. */
  readonly column: string;
  readonly universe?: string;
  readonly quantity: Quantity;
  readonly writing: { readonly signed?: true; readonly suffix?: string };
  /** The band of a displayed value. */
  readonly band: (displayed: number) => { readonly label: string; readonly tone: Tone };
}

/** The advanced indicators, in the order of the page. */
export const INDICATORS = {
  vix: { name: 'VIX', column: 'vix', quantity: 'vix', writing: {}, band: (vix) => bandFrom(VIX_BANDS, vix) },
  vixChange: {
    name: 'VIX Change',
    column: 'vix_change',
    quantity: 'vix',
    writing: { signed: true },
    // A rising VIX is bad news for holders of stocks.
    band(change) {
      if (change === 0) return { label: 'Unchanged', tone: 'neutral' };
      return change > 0 ? { label: 'Rising', tone: 'negative' } : { label: 'Falling', tone: 'positive' };
    },
  },
  putCallRatio: {
    name: 'Put/Call Ratio',
    column: 'put_call_ratio',
    quantity: 'ratio',
    writing: {},
    band: (ratio) => bandFrom(PUT_CALL_BANDS, ratio),
  },
  trin: {
    name: 'TRIN',
    column: 'trin',
    universe: 'trin_universe',
    quantity: 'ratio',
    writing: {},
    band: (ratio) => bandFrom(TRIN_BANDS, ratio),
  },
  mcclellanOscillator: {
    name: 'McClellan Oscillator',
    column: 'mcclellan_oscillator',
    universe: 'mcclellan_universe',
    quantity: 'mcclellan',
    writing: { signed: true },
    band: (points) => bandAbove(MCCLELLAN_BANDS, points),
  },
  highLowIndex: {
    name: 'High/Low Index',
    column: 'high_low_index',
    universe: 'high_low_universe',
    quantity: 'score',
    writing: { suffix: '%' },
    band: (percent) => bandAbove(HIGH_LOW_BANDS, percent),
  },
  tickIndex: {
    name: 'TICK Index',
    column: 'tick_index',
    universe: 'tick_universe',
    quantity: 'tick',
    writing: { signed: true },
    // The band gives the size of the lead, the sign its direction.
    band(tick) {
      const { label } = bandAbove(TICK_BANDS, Math.abs(tick));
      return { label, tone: label === 'Moderate' ? 'neutral' : tick > 0 ? 'positive' : 'negative' };
    },
  },
} as const satisfies Record<string, Indicator>;
export type IndicatorKey = keyof typeof INDICATORS;

/** The band of an indicator's value. */
export function indicatorBand(key: IndicatorKey, value: number): ReturnType<Indicator['band']> {
  const { quantity, band }: Indicator = INDICATORS[key];
  return band(asDisplayed(quantity, value));
}
