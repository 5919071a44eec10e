/** Advancing and declining issues of each session, and the volume of each. */
interface VolumeBreadth {
  readonly advancing: Float64Array;
  readonly declining: Float64Array;
  readonly advancingVolume: Float64Array;
  readonly decliningVolume: Float64Array;
}

/** Arms index: (advancing/declining issues) / (advancing/declining volume); NaN if a denominator is 0. */
export function trin(breadth: VolumeBreadth): Float64Array {
  return breadth.advancing.map((advancing, at) => {
    const issues = advancing / (breadth.declining[at] || Number.NaN);
    const volume = (breadth.advancingVolume[at] ?? Number.NaN) / (breadth.decliningVolume[at] || Number.NaN);
    return issues / (volume || Number.NaN);
  });
}
