import { useEffect, useRef, useState } from 'react';
import { prefersReducedMotion, useFirstView } from './first-view.ts';

// The space is as wide as a digit, so that an additional digit does not shift the number.
const FIGURE_SPACE = '\u2007';

interface CountedNumberProps {
  value: number;
  decimals: number;
}

/** Counts up when it first comes into view. Markup and assistive technology always have the final value. */
export function CountedNumber({ value, decimals }: CountedNumberProps) {
  const [ref, seen] = useFirstView<HTMLSpanElement>();
  const firstValue = useRef(value);
  const [shown, setShown] = useState<number | null>(null);

  useEffect(() => {
    if (!seen || value !== firstValue.current || prefersReducedMotion()) return;
    const began = performance.now();
    let frame = 0;
    const step = (time: number) => {
      const running = time - began < COUNT_UP_MILLISECONDS;
      setShown(running ? countUpAt(time - began, value) : null);
      if (running) frame = requestAnimationFrame(step);
    };
    step(began);
    return () => {
      cancelAnimationFrame(frame);
      setShown(null);
    };
  }, [seen, value]);

  const final = value.toFixed(decimals);
  return (
    <span ref={ref} className="counted" data-counting={shown !== null || undefined}>
      <span className="counted-final">{final}</span>
      {shown !== null && (
        <span aria-hidden="true">{shown.toFixed(decimals).padStart(final.length, FIGURE_SPACE)}</span>
      )}
    </span>
  );
}

const STEPS = 60;

export const COUNT_UP_MILLISECONDS = 1500;

/** The number to show `elapsed` milliseconds after the start: one of 60 equal steps from 0 to `target`. */
export function countUpAt(elapsed: number, target: number): number {
  const step = Math.min(STEPS, Math.max(0, Math.floor((elapsed * STEPS) / COUNT_UP_MILLISECONDS)));
  return step === STEPS ? target : (target * step) / STEPS;
}
