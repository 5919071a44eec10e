/** True if the visitor prefers reduced motion. Call it only in effects: there is no window while rendering. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
