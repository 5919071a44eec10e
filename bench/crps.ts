/** The CRPS of a sample (Gneiting and Raftery 2007, JASA 102): E|X − actual| − E|X − X′| / 2. */
export function crps(sorted: Float64Array, actual: number): number {
  const count = sorted.length;
  let distance = 0;
  let spread = 0;
  for (let at = 0; at < count; at += 1) {
    const value = sorted[at] ?? Number.NaN;
    distance += Math.abs(value - actual);
    spread += value * (2 * at + 1 - count);
  }
  return distance / count - spread / count ** 2;
}
