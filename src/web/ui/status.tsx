import type { ReactNode } from 'react';
import type { Tone } from '#domain/bands/band.ts';

/**
 * A value with the mark of its status and, for screen readers, the status in words: a filled dot for positive, a ring
 * for negative, a small dot for neutral. Triangles are for the direction of a number only.
 */
export function Status({ status, children }: { status: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={status}>
      <span>{children}</span>
      <span className="visually-hidden">{`(${status})`}</span>
    </span>
  );
}
