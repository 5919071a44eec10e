import {
  createSignalSchedule,
  type Decided,
  type SignalScheduleOptions,
} from '#mailer/decide/signal-schedule.ts';
import { dropUnconfirmed, removeExpiredPersonalData } from '#mailer/subscribers/subscription.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { type Log, reasonOf } from '../log.ts';
import type { ScheduledRun } from './schedule.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface DecidingOptions extends SignalScheduleOptions {
  readonly log: Log;
}

/** Creates the job that decides the weekly signal, on schedule or by a command, and deletes expired personal data. */
export function createDeciding(options: DecidingOptions) {
  const { database, now, log } = options;
  const schedule = createSignalSchedule(options);
  let cleanedAt = Number.NEGATIVE_INFINITY;
  /** The newest week for which the log says that its signal waits for rows. */
  let waitsFor = '';

  function logNew(decided: Decided): Decided {
    if (decided.state !== 'new') return decided;
    const { week, status, reason, verdict, score, session } = decided.issue;
    if (status === 'issued') log.info('signal issued', { week, verdict, score, session });
    else log.warn('signal withheld', { week, reason, next: decided.nextStep ?? undefined });
    return decided;
  }

  async function decideIfDue(): Promise<void> {
    const decided = logNew(await schedule.ifDue());
    if (decided.state !== 'waiting' || decided.week === waitsFor) return;
    const { week, reason, nextStep } = decided;
    log.warn('signal waits', { week, reason, next: nextStep ?? undefined });
    waitsFor = week;
  }

  async function cleanDaily(): Promise<void> {
    if (Math.abs(now() - cleanedAt) < DAY) return;
    const count = await dropUnconfirmed(database, now());
    if (count > 0) log.info('never confirmed', { count });
    await removeExpiredPersonalData(database);
    cleanedAt = now();
  }

  return {
    async byHand(options: { atOnce: boolean }) {
      const decided = logNew(await schedule.byHand(options));
      // A crontab that calls the command may replace the server.
      await cleanDaily();
      return decided;
    },
    scheduledRun: {
      name: 'signal',
      everyMs: MINUTE,
      async run() {
        await decideIfDue().catch((error: unknown) =>
          log.error('job failed', { job: 'signal', reason: reasonOf(error) }),
        );
        await cleanDaily();
      },
    },
  };
}

type GradingOptions = Pick<DecidingOptions, 'database' | 'now' | 'log'>;

/** Creates the job that grades the weekly signals whose time windows have ended. It runs every ten minutes. */
export function createGrading({ database, now, log }: GradingOptions): ScheduledRun {
  return {
    name: 'grading',
    everyMs: 10 * MINUTE,
    async run() {
      const grades = await gradeDecisions(database, now());
      if (grades > 0) log.info('signals graded', { grades });
    },
  };
}
