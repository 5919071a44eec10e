import { nextRun } from '#collector/next-run.ts';
import type { Report } from '#collector/progress.ts';
import { type Job, type RunReport, readRunsSoFar } from '#collector/runs.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import type { ScheduledRun } from '#server/jobs/schedule.ts';
import type { Log } from '#server/log.ts';
import { JOBS } from './job-command.ts';

const EVERY_MINUTE = '* * * * *';

interface CollectingOptions {
  database: Database;
  /** Where the schedule collects from, until a command names another source. */
  source: Source;
  /** When this process began (epoch ms): a fill since then has just read everything there is. */
  began: number;
  now: () => number;
  log: Log;
}

/** The collector inside a serving process: one run at a time, by the schedule or because a command asks. */
export interface Collecting {
  /** Runs a job; the schedule goes on with its source once it has succeeded. */
  run(job: Job, source: Source, report?: Report): Promise<RunReport>;
  scheduledRun(): Promise<ScheduledRun>;
}

/** A folder gives no newer session by waiting, so a replay stands still until a command moves it on. */
const isCollected = ({ word }: Source) => word !== 'replay';

export function createCollecting({ database, source, began, now, log }: CollectingOptions): Collecting {
  let current = source;
  let last: Promise<unknown> = Promise.resolve();

  function run(job: Job, from: Source, report?: Report): Promise<RunReport> {
    const turn = last.then(async () => {
      const done = await JOBS[job]({ database, source: from, now, report });
      current = from;
      return done;
    });
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    run,
    async scheduledRun() {
      const soFar = await readRunsSoFar(database, now());
      const isFilled = (soFar.succeededAt ?? 0) >= began;
      let dueAt = nextRun(now(), soFar);
      return {
        name: 'collect',
        pattern: EVERY_MINUTE,
        atStart: isCollected(current) && !isFilled,
        isDue: (instant) => isCollected(current) && instant >= dueAt,
        async run() {
          try {
            const { source: word, lastSession, rowsWritten, rowsRefused } = await run('collect', current);
            log.info('collected', { source: word, session: lastSession, rowsWritten, rowsRefused });
          } finally {
            dueAt = nextRun(now(), await readRunsSoFar(database, now()));
          }
        },
      };
    },
  };
}
