/**
 * Rounds values so that they add up to the displayed `total`: rounds each value down to `decimals`, then adds one unit
 * each to the values that lost most (largest-remainder method). The first of equal losses wins. `total` must be within one
 * unit of the sum.
 */
export function apportion(values: readonly number[], total: number, decimals: number): number[] {
  const factor = 10 ** decimals;
  // Treats a value as a whole unit if only binary rounding makes it smaller.
  const units = values.map((value) => Math.floor(value * factor + 1e-9));
  // Equal losses may differ by binary rounding.
  const lost = values.map((value, index) => Math.round((value * factor - (units[index] ?? 0)) * 1e6));
  const order = values.map((_, index) => index).sort((a, b) => (lost[b] ?? 0) - (lost[a] ?? 0));
  let left = Math.round(total * factor) - units.reduce((sum, unit) => sum + unit, 0);
  for (const index of order) {
    if (left <= 0) break;
    units[index] = (units[index] ?? 0) + 1;
    left -= 1;
  }
  return units.map((unit) => unit / factor);
}
