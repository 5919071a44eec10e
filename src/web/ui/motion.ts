/** Whether the visitor asked for no motion. Only for effects: there is no window while rendering. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
