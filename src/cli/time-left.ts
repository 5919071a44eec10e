import type { Progress } from '#collector/progress.ts';

export type Steps = Pick<Progress, 'done' | 'total'>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Before this much of a stage has been seen (ms, and as a share of it), a guess would jump about. */
const SEEN = { ms: 3_000, share: 0.02 } as const;
/** The pace is that of so long ago until now: parts of a stage may be slower than others. */
const PACE_OF = MINUTE;

/** A duration in words: "about 3 min left". */
function inWords(ms: number): string {
  if (ms < MINUTE) return 'less than a minute left';
  if (ms < 1.5 * HOUR) return `about ${Math.round(ms / MINUTE)} min left`;
  return `about ${Math.round(ms / HOUR)} h left`;
}

/**
 * How long one stage still takes, by its pace of late; what was done before the first report does not count. Empty
 * while there is too little to go by, and when nothing is left.
 */
export function createEstimate(now: () => number): (progress: Steps) => string {
  let first: number | null = null;
  const reports: { done: number; at: number }[] = [];
  return ({ done, total }) => {
    const at = now();
    first ??= done;
    reports.push({ done, at });
    while ((reports[1]?.at ?? at) < at - PACE_OF) reports.shift();
    const since = reports[0] ?? { done, at };
    const moved = done - since.done;
    const isSeen = done - first >= SEEN.share * total && at - since.at >= SEEN.ms;
    return isSeen && moved > 0 && done < total ? inWords(((at - since.at) / moved) * (total - done)) : '';
  };
}
