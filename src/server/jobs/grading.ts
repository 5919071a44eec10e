import type { Database } from '#database/port.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import type { Log } from '../log.ts';
import type { ScheduledRun } from './schedule.ts';

const EVERY_TEN_MINUTES = 600_000;

interface GradingOptions {
  readonly database: Database;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
}

/** Creates the job that grades the weekly signals whose time windows have ended. It runs every ten minutes. */
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
