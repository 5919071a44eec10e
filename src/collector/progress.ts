/** How far a run is; `total` is 0 while it is not known. */
export interface Progress {
  stage: 'fetching' | 'reading' | 'storing' | 'computing' | 'publishing';
  done: number;
  total: number;
}

export type Report = (progress: Progress) => void;
