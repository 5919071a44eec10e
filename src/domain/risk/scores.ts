/** The loss of a forecast of variance: 0 if it is exact (QLIKE, Patton 2011, Journal of Econometrics 160). */
export function qlike(forecast: number, actual: number): number {
  const ratio = (actual / forecast) ** 2;
  return ratio - Math.log(ratio) - 1;
}

/** The loss of a quantile at `level` (Koenker and Bassett 1978, Econometrica 46). */
export function pinball(forecast: number, level: number, actual: number): number {
  return (actual - forecast) * (level - (actual < forecast ? 1 : 0));
}

/** The loss of a probability of an event that occurred or not (Brier 1950, Monthly Weather Review 78). */
export function brier(probability: number, hasOccurred: boolean): number {
  return (probability - (hasOccurred ? 1 : 0)) ** 2;
}

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

/** The part of the reference's loss that a forecast avoids: 1 is perfect, 0 no better than the reference; NaN without losses. */
export function skill(losses: readonly number[], reference: readonly number[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return 1 - sum(losses) / sum(reference);
}
