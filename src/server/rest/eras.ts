import type { MarketWatch } from '../market-watch.ts';

/** The time in which the market's tables stood as one version has them, as far as this process was told. */
export interface Era {
  readonly version: number;
  /** When it was last known to be the present one (epoch ms). */
  knownAt: number;
}

export interface Eras {
  /** The present one; what is read from now on belongs to it, or to a later one. */
  current(): Era;
  /** Whether what was read in an era is known to be what would be read now. */
  isCurrent(era: Era): boolean;
}

/** Follows which version is the present one. It has to be looked at now and then, to know until when it was. */
export function createEras(watch: Pick<MarketWatch, 'version' | 'isTold' | 'knownAt'>): Eras {
  let era: Era = { version: watch.version, knownAt: watch.knownAt };
  const current = () => {
    if (watch.version !== era.version) era = { version: watch.version, knownAt: watch.knownAt };
    era.knownAt = watch.knownAt;
    return era;
  };
  return { current, isCurrent: (of) => of.version === watch.version && watch.isTold };
}
