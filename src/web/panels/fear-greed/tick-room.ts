const STEPS = [1, 2, 3, 6] as const;

/**
 * Drops ticks until at most `most` remain. Expects ticks on the first of each month (epoch milliseconds). Keeps every
 * month, or every second, third, sixth or twelfth counted from January, or every nth year.
 */
export function ticksWithRoom<Tick extends { at: number }>(ticks: readonly Tick[], most: number): Tick[] {
  for (const step of STEPS) {
    const kept = ticks.filter((tick) => monthOf(tick.at) % step === 0);
    if (kept.length <= most) return kept;
  }
  const years = ticks.filter((tick) => monthOf(tick.at) === 0);
  const every = Math.ceil(years.length / Math.max(most, 1));
  return years.filter((_, index) => index % every === 0);
}

// The first of a month begins in New York some hours after it does in UTC, so UTC names the same month.
const monthOf = (at: number) => new Date(at).getUTCMonth();
