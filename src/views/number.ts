import { asDisplayed, DISPLAYED_DECIMALS, type Quantity } from '#domain/bands/precision.ts';
import type { Tone } from '#domain/bands/score-bands.ts';

export interface Figure {
  value: number | null;
  text: string;
}

export const UNKNOWN = '—';
const MINUS = '−';
/** Doubles above this are not exact to the digit. Above 1e21 `toFixed` would use powers of ten. */
const TOO_LARGE = 1e15;

interface Writing {
  signed?: boolean;
  suffix?: string;
}

/** '12,345.60', '−3.20', with `signed` '+0.62'. Expects a value already rounded to `decimals`. */
export function writeNumber(
  value: number,
  decimals: number,
  { signed = false, suffix = '' }: Writing = {},
): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const sign = value < 0 ? MINUS : signed && value > 0 ? '+' : '';
  return `${sign}${grouped}${fraction === undefined ? '' : `.${fraction}`}${suffix}`;
}

/** A number as displayed, rounded to its decimals; '—' if it is null. */
export function figureOf(quantity: Quantity, value: number | null, writing: Writing = {}): Figure {
  if (value === null || !(Math.abs(value) < TOO_LARGE)) return { value: null, text: UNKNOWN };
  const shown = asDisplayed(quantity, value);
  return { value: shown, text: writeNumber(shown, DISPLAYED_DECIMALS[quantity], writing) };
}

/** A count: '2,345'. It has no decimals, as a TICK. */
export const countOf = (count: number | null) => figureOf('tick', count);

/** '1 week', '43 weeks', '1,300 weeks'. */
export const countText = (count: number, noun: string) =>
  `${countOf(count).text} ${noun}${count === 1 ? '' : 's'}`;

/** The text without places for a line break. */
export const unbroken = (text: string) => text.replaceAll(' ', '\u00a0');

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function toneOfChange(change: number): Tone {
  if (change === 0) return 'neutral';
  return change > 0 ? 'positive' : 'negative';
}
