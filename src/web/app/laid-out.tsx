import { memo, type RefObject, useEffect } from 'react';
import { whenIdle } from './when-idle.ts';

function layOutNext(place: HTMLElement | null): void {
  for (const section of place?.children ?? []) {
    if (!(section instanceof HTMLElement) || section.style.contentVisibility !== '') continue;
    section.style.contentVisibility = 'visible';
    // Now, and not in one go with the others at the next frame.
    section.getBoundingClientRect();
    return;
  }
}

interface LaidOutProps {
  /** The element that holds the sections. */
  place: RefObject<HTMLElement | null>;
}

/**
 * Stands beside each section, or the last ones would stay as they are: once that answers to its visitor, another one that
 * is laid out only near the window is laid out for good, when the browser has nothing better to do. So none of it delays
 * the first paint or a visitor's finger, and nothing moves when the page is scrolled.
 */
export const LaidOut = memo(function LaidOut({ place }: LaidOutProps): null {
  useEffect(() => whenIdle(() => layOutNext(place.current)), [place]);

  return null;
});
