import { type RunOptions, runCollector } from '#collector/runs/run-collector.ts';

export type { RunOptions };
export const collect = (options: RunOptions) => runCollector('collect', options);
export const backfill = (options: RunOptions) => runCollector('backfill', options);
