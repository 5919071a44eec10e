const STEPS = 60;

/** Length of the count-up in milliseconds. */
export const COUNT_UP_MILLISECONDS = 1500;

/**
 * The number to show `elapsed` milliseconds after counting up to `target` began: one of 60 equal steps, from 0 to the
 * target itself.
 */
export function countUpAt(elapsed: number, target: number): number {
  const step = Math.min(STEPS, Math.max(0, Math.floor((elapsed * STEPS) / COUNT_UP_MILLISECONDS)));
  return step === STEPS ? target : (target * step) / STEPS;
}
