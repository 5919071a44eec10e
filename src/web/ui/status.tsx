import type { ReactNode } from 'react';

const MARKS = {
  positive: { path: 'M5 1 L9.5 9 H0.5 Z', word: 'positive' },
  negative: { path: 'M5 9 L9.5 1 H0.5 Z', word: 'negative' },
  neutral: { path: 'M1 4 H9 V6 H1 Z', word: 'neutral' },
} as const;

export type StatusWord = keyof typeof MARKS;

/** A value with the shape of its status, and the status in words for those who do not see the shape. */
export function Status({ status, children }: { status: StatusWord; children: ReactNode }) {
  const mark = MARKS[status];
  return (
    <span className="status">
      <svg
        className="status-mark"
        width="10"
        height="10"
        viewBox="0 0 10 10"
        aria-hidden="true"
        data-tone={status}
      >
        <path d={mark.path} />
      </svg>
      <span>{children}</span>
      <span className="visually-hidden">({mark.word})</span>
    </span>
  );
}
