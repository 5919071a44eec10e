import type { Database } from '#database/port.ts';
import { gradeDecisions } from '#record/grading.ts';
import type { Log } from '../log.ts';
import type { ScheduledRun } from './schedule.ts';

const EVERY_TEN_MINUTES = 600_000;

interface GradingOptions {
  readonly database: Database;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Grades the weekly signals whose windows have ended, every ten minutes. */
export function createGrading({ database, now, log }: GradingOptions): ScheduledRun {
  return {
    name: 'grading',
    everyMs: EVERY_TEN_MINUTES,
    async run() {
      const grades = await gradeDecisions(database, now());
      if (grades > 0) log.info('signals graded', { grades });
    },
  };
}
