import type { Progress } from '#collector/progress.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Before this much of a stage has been seen (ms, and as a share of it), a guess would jump about. */
const SEEN = { ms: 3_000, share: 0.02 } as const;

/** A duration in words: "about 3 min left". */
function inWords(ms: number): string {
  if (ms < MINUTE) return 'less than a minute left';
  if (ms < 1.5 * HOUR) return `about ${Math.round(ms / MINUTE)} min left`;
  return `about ${Math.round(ms / HOUR)} h left`;
}

/**
 * How long one stage still takes, by its pace since the first report, which need not be at its beginning. Empty
 * while there is too little to go by, and when nothing is left.
 */
export function createEstimate(now: () => number): (progress: Progress) => string {
  let first: { done: number; at: number } | null = null;
  return ({ done, total }) => {
    first ??= { done, at: now() };
    const elapsed = now() - first.at;
    const seen = done - first.done;
    if (done >= total || elapsed < SEEN.ms || seen < SEEN.share * total) return '';
    return inWords((elapsed / seen) * (total - done));
  };
}
