/** Progress of a run; `total` is 0 while it is unknown. */
export interface Progress {
  stage: 'fetching' | 'reading' | 'storing' | 'computing' | 'publishing';
  done: number;
  total: number;
}

export type Report = (progress: Progress) => void;
