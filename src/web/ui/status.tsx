import type { ReactNode } from 'react';
import type { Tone } from '#domain/bands/band.ts';

/** Paths in a box of 10 by 10. */
const MARKS: Record<Tone, string> = {
  positive: 'M5 1 L9.5 9 H0.5 Z',
  negative: 'M5 9 L9.5 1 H0.5 Z',
  neutral: 'M1 4 H9 V6 H1 Z',
};

/** The shape of a status: up, down or level. Decorative; the word stands beside it. */
export function StatusMark({ status }: { status: Tone }) {
  return (
    <svg
      className="status-mark"
      width="10"
      height="10"
      viewBox="0 0 10 10"
      aria-hidden="true"
      data-tone={status}
    >
      <path d={MARKS[status]} />
    </svg>
  );
}

/** A value with the shape of its status, and the status in words for those who do not see the shape. */
export function Status({ status, children }: { status: Tone; children: ReactNode }) {
  return (
    <span className="status">
      <StatusMark status={status} />
      <span>{children}</span>
      <span className="visually-hidden">{`(${status})`}</span>
    </span>
  );
}
