import { newestPeriod, nextPeriod } from '#collector/periods.ts';
import type { ProviderName } from '#collector/providers/names.ts';
import type { Database } from '#database/port.ts';
import type { Member } from '#domain/market-history.ts';
import { marketOverTime } from './market-over-time.ts';
import { servingProcess } from './serving-process.ts';

const STEP_MS = 10 * 60_000;

/** Part of a clock's way, as instants. The server is down between one and the next. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What the runs of the schedule came to. */
export interface RunsOverTime {
  readonly hours: number;
  readonly done: number;
  readonly failed: number;
  readonly fills: number;
  /** Periods that fell due while a server ran. */
  readonly due: readonly number[];
  /** Where the clock ended. */
  readonly end: number;
}

/** Lets a serving process collect over stretches of a clock that moves ten minutes at a time. */
export async function collectOverTime(
  database: Database,
  stretches: readonly Stretch[],
  market: {
    members: readonly Member[];
    first: string;
    failing: (now: number) => ProviderName | null;
  },
): Promise<RunsOverTime> {
  const time = { now: stretches[0]?.from ?? 0 };
  const now = () => time.now;
  const counts = { hours: 0, done: 0, failed: 0, fills: 0 };
  const due: number[] = [];
  for (const { from, to } of stretches) {
    time.now = from;
    const server = servingProcess(database, marketOverTime({ ...market, now }), { now });
    due.push(newestPeriod(from));
    for (let period = nextPeriod(from); period < to; period = nextPeriod(period)) due.push(period);
    for (; time.now < to; time.now += STEP_MS) await server.tick();
    counts.hours += (to - from) / 3_600_000;
    for (const { event, job } of server.lines) {
      if (event === 'job failed') counts.failed += 1;
      if (event === 'job done') counts.done += 1;
      if (event === 'job done' && job === 'backfill') counts.fills += 1;
    }
  }
  return { ...counts, due, end: time.now };
}
