/**
 * Rounds values so that they add up to `total` as shown: each is cut to `decimals`, and the units left over
 * go to those that lost most (largest-remainder method). `total` is within one unit of the sum of the values.
 */
export function apportion(values: readonly number[], total: number, decimals: number): number[] {
  const factor = 10 ** decimals;
  // A value that falls short of a whole unit by binary noise alone is that unit.
  const units = values.map((value) => Math.floor(value * factor + 1e-9));
  const lost = values.map((value, index) => value * factor - (units[index] ?? 0));
  const order = values.map((_, index) => index).sort((a, b) => (lost[b] ?? 0) - (lost[a] ?? 0));
  let left = Math.round(total * factor) - units.reduce((sum, unit) => sum + unit, 0);
  for (const index of order) {
    if (left <= 0) break;
    units[index] = (units[index] ?? 0) + 1;
    left -= 1;
  }
  return units.map((unit) => unit / factor);
}
