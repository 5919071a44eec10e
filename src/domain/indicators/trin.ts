import type { AdvanceDecline } from '../breadth/member-counts.ts';

/** Arms index: (advancing/declining issues) / (advancing/declining volume); NaN if a denominator is 0. */
export function trin(breadth: Omit<AdvanceDecline, 'unchanged'>): Float64Array {
  return breadth.advancing.map((advancing, at) => {
    const issues = advancing / (breadth.declining[at] || Number.NaN);
    const volume = (breadth.advancingVolume[at] ?? Number.NaN) / (breadth.decliningVolume[at] || Number.NaN);
    return issues / (volume || Number.NaN);
  });
}
