import type { ReactNode } from 'react';
import type { Tone } from '#domain/bands/band.ts';
import type { PanelAsOf } from '#views/day.ts';

/** A value with its status as a mark (dot, ring or small dot), and in words for screen readers. */
export function Status({ status, children }: { status: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={status}>
      <span>{children}</span>
      <span className="visually-hidden">{`(${status})`}</span>
    </span>
  );
}

/** Shows that the rows of a panel are older than the newest on the page; otherwise nothing. */
export function Older({ asOf }: { asOf: PanelAsOf }) {
  return asOf.older === null ? null : <p className="quiet small">{asOf.older}</p>;
}

export function WithUnit({ text }: { text: string }) {
  if (!text.endsWith('%')) return text;
  return (
    <>
      {text.slice(0, -1)}
      <span className="unit">%</span>
    </>
  );
}

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
