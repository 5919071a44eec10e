import { type Log, reasonOf } from '../log.ts';

export interface ScheduledRun {
  readonly name: string;
  readonly everyMs: number;
  /** Performs one run, and logs its result. A repeated run must be harmless. */
  readonly run: () => Promise<void>;
}

/** Runs the job now and at each interval, unless the last run has not ended. Logs an error. The timer is unref'd. */
export function startSchedule({ name, everyMs, run }: ScheduledRun, log: Log) {
  let current: Promise<void> | null = null;
  let isWoken = false;
  const start = () => {
    current ??= run()
      .catch((error: unknown) => log.error('job failed', { job: name, reason: reasonOf(error) }))
      .finally(() => {
        current = null;
        if (isWoken) wake();
      });
  };
  const wake = () => {
    isWoken = current !== null;
    start();
  };
  start();
  const timer = setInterval(start, everyMs).unref();
  return {
    /** Runs the job now. If a run has already begun, another run follows it. */
    wake,
    /** Prevents further runs and waits for the end of the current one. */
    async stop() {
      clearInterval(timer);
      isWoken = false;
      await current;
    },
  };
}
