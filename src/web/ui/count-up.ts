const STEPS = 60;
const DURATION = 1500;

/** Length of the count-up in milliseconds. */
export const COUNT_UP_MILLISECONDS = DURATION;

/**
 * What a number counting up to `target` shows `elapsed` milliseconds after it began: one of 60 equal steps,
 * from 0 to the target itself.
 */
export function countUpAt(elapsed: number, target: number): number {
  const step = Math.min(STEPS, Math.max(0, Math.floor((elapsed * STEPS) / DURATION)));
  return step === STEPS ? target : (target * step) / STEPS;
}
