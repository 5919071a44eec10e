import { type Log, reasonOf } from '../log.ts';
import { alignedTimer, type Timer } from './aligned-timer.ts';

/** A job that runs again and again. */
export interface ScheduledRun {
  readonly name: string;
  /** Interval between ticks (ms). Ticks are aligned to the epoch: 60,000 ticks at the start of each minute. */
  readonly everyMs: number;
  /** True if the run is due at this instant (epoch ms). Without it every tick is due. */
  readonly isDue?: (now: number) => boolean;
  /** Safe to do twice; writes its own line of the log. `signal` is set when the schedule is stopped. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Done once at the start, to catch up with what was missed, whether due or not. */
  readonly atStart?: boolean;
}

export interface ScheduleOptions {
  readonly runs: readonly ScheduledRun[];
  /** Epoch ms. */
  readonly clock: () => number;
  readonly log: Log;
  readonly timer?: Timer;
}

export interface Schedule {
  /** Takes no more ticks, asks the run under way to end and waits for it. */
  stop: () => Promise<void>;
}

/**
 * Does each run at its times, one run at a time: a tick while its run still waits for its turn is dropped.
 * A run that throws is one line of the log, and the next one is done all the same.
 */
export function startSchedule({ runs, clock, log, timer = alignedTimer }: ScheduleOptions): Schedule {
  const stopping = new AbortController();
  const waiting = new Set<ScheduledRun>();
  let last: Promise<void> = Promise.resolve();

  async function perform(run: ScheduledRun, catchesUp: boolean): Promise<void> {
    waiting.delete(run);
    if (stopping.signal.aborted) return;
    const startedAt = clock();
    try {
      if (!catchesUp && run.isDue?.(startedAt) === false) return;
      await run.run(stopping.signal);
    } catch (error) {
      log.error('job failed', { job: run.name, ms: clock() - startedAt, reason: reasonOf(error) });
    }
  }

  function enqueue(run: ScheduledRun, catchesUp: boolean): void {
    if (waiting.has(run)) return;
    waiting.add(run);
    last = last.then(() => perform(run, catchesUp));
  }

  for (const run of runs) if (run.atStart) enqueue(run, true);
  const timers = runs.map((run) => timer(run.everyMs, clock, () => enqueue(run, false)));

  return {
    async stop() {
      for (const each of timers) each.stop();
      stopping.abort();
      await last;
    },
  };
}
