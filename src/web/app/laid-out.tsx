import { createContext, memo, type RefObject, useContext, useEffect } from 'react';
import { whenIdle } from './when-idle.ts';

/** The element that holds the sections. */
export const SectionsPlace = createContext<RefObject<HTMLElement | null>>({ current: null });

function layOutNext(place: HTMLElement | null): void {
  for (const section of place?.children ?? []) {
    if (!(section instanceof HTMLElement) || section.style.contentVisibility !== '') continue;
    section.style.contentVisibility = 'visible';
    // Now, and not in one go with the others at the next frame.
    section.getBoundingClientRect();
    return;
  }
}

/**
 * Stands in each section: once that answers to its visitor, another one that is laid out only near the window is laid
 * out for good, when the browser has nothing better to do. So none of it delays the first paint or a visitor's finger,
 * and nothing moves when the page is scrolled.
 */
export const LaidOut = memo(function LaidOut(): null {
  const place = useContext(SectionsPlace);

  useEffect(() => whenIdle(() => layOutNext(place.current)), [place]);

  return null;
});
