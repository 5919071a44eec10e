import type { ReactNode } from 'react';
import type { Tone } from '#domain/bands/score-bands.ts';
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
