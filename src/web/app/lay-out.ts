import { whenIdle } from './when-idle.ts';

/**
 * Makes the browser lay out the sections that it would otherwise lay out only near the window, one section per idle
 * period. The first paint and input are not delayed, and nothing moves while the visitor scrolls.
 */
export function layOut(place: HTMLElement | null): void {
  for (const section of place?.children ?? []) {
    if (!(section instanceof HTMLElement) || section.style.contentVisibility !== '') continue;
    whenIdle(() => {
      section.style.contentVisibility = 'visible';
      // Forces the layout of this section now. Otherwise the next frame would lay out several at once.
      section.getBoundingClientRect();
      layOut(place);
    });
    return;
  }
}
