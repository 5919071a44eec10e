import { type Log, reasonOf } from '../log.ts';

/** A job that runs again and again. */
export interface ScheduledRun {
  readonly name: string;
  readonly everyMs: number;
  /** Safe to run twice; logs its own result. */
  readonly run: () => Promise<void>;
}

export interface Schedule {
  /** Starts no other run and waits for the current one. */
  stop: () => Promise<void>;
}

/**
 * Runs at once and then at each interval, except while the previous run goes on. An error is logged, and the next run
 * takes place. The timer does not keep the process alive.
 */
export function startSchedule({ name, everyMs, run }: ScheduledRun, log: Log): Schedule {
  let current: Promise<void> | null = null;
  const start = () => {
    current ??= run()
      .catch((error: unknown) => log.error('job failed', { job: name, reason: reasonOf(error) }))
      .finally(() => {
        current = null;
      });
  };
  start();
  const timer = setInterval(start, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
