/** Number of issues that the exchange's own TICK covers. */
export const EXCHANGE_ISSUES = 2800;

/**
 * Substitute for the NYSE TICK: Σ sign(last − before) over the members, scaled to the exchange's issues; null if no member
 * has both one-minute closes (NaN if missing). The page must label it as a proxy.
 */
export function tickProxy(last: Float64Array, before: Float64Array): number | null {
  let net = 0;
  let members = 0;
  last.forEach((close, at) => {
    const direction = Math.sign(close - (before[at] ?? Number.NaN));
    if (Number.isNaN(direction)) return;
    net += direction;
    members++;
  });
  return members === 0 ? null : (net * EXCHANGE_ISSUES) / members;
}
