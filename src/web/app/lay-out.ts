import { whenIdle } from './when-idle.ts';

/**
 * Has the sections of the page that are laid out only near the window laid out for good, one whenever the browser has
 * nothing better to do: none of it delays the first paint or a visitor's finger, and nothing moves when the page is
 * scrolled.
 */
export function layOut(place: HTMLElement | null): void {
  for (const section of place?.children ?? []) {
    if (!(section instanceof HTMLElement) || section.style.contentVisibility !== '') continue;
    whenIdle(() => {
      section.style.contentVisibility = 'visible';
      // Now, and not in one go with the others at the next frame.
      section.getBoundingClientRect();
      layOut(place);
    });
    return;
  }
}
