import { LIVE_LIMITS } from './limits.ts';

/** A close as held and as given now, of one session. */
export interface Overlap {
  readonly session: string;
  readonly held: number;
  readonly given: number;
}

/** Prices are rounded to the cent, which is more than a thousandth of a small one. */
const ROUNDING = 0.011;

/**
 * Whether the provider has adjusted the past of a symbol again (for a dividend, a split): the closes that differ
 * by more than a thousandth differ in one and the same ratio, and are more than one, or all that overlap. A
 * single other close is a correction.
 */
export function isReadjusted(overlap: readonly Overlap[]): boolean {
  const differing = overlap.filter(isOther);
  if (differing.length === 0 || (differing.length === 1 && overlap.length > 1)) return false;
  const ratios = differing.map(({ held, given }) => given / held).sort((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)] as number;
  return differing.every(
    ({ held, given }) => Math.abs(given - held * ratio) <= Math.max(ROUNDING, LIVE_LIMITS.adjustment * given),
  );
}

/** Whether two closes differ by more than rounding. */
export function isOther({ held, given }: Overlap): boolean {
  return Math.abs(given / held - 1) > LIVE_LIMITS.adjustment;
}
