/** A timer that runs when the test calls `tick`. `ticks` has its functions that are not stopped. */
export function manualTimer() {
  const ticks = new Set<() => void>();
  const every = (_ms: number, tick: () => void) => {
    ticks.add(tick);
    return () => ticks.delete(tick);
  };
  const tick = () => {
    for (const each of ticks) each();
  };
  return { ticks, every, tick };
}
