import type { Tone } from '#domain/bands/band.ts';

/** Paths in a box of 10 by 10: up, down and level. */
const PATHS: Record<Tone, string> = {
  positive: 'M5 1 L9.5 9 H0.5 Z',
  negative: 'M5 9 L9.5 1 H0.5 Z',
  neutral: 'M1 4 H9 V6 H1 Z',
};

/** A triangle for the direction of a change. It is decorative, because a word beside it says the same. */
export function DirectionMark({ tone }: { tone: Tone }) {
  return (
    <svg className="mark" width="10" height="10" aria-hidden="true" data-tone={tone}>
      <path d={PATHS[tone]} />
    </svg>
  );
}
