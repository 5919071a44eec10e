/** Rounds values to the sum `total`, within one unit of theirs: largest-remainder method, first of equals. */
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
