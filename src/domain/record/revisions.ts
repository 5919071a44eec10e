import { READING_NAMES, type ReadingName, type Readings } from '../signal/flips.ts';
import { median } from '../statistics.ts';

/** The readings of a session as they were first published, and as they are now. */
export interface RevisedDay {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  readonly published: Readings;
  readonly final: Readings;
}

/** The differences between the published and the final values of a reading, in its own unit. */
export interface Revision {
  /** Number of sessions with both values, and of those in which they differ. */
  readonly sessions: number;
  readonly changed: number;
  /** Median size of the differences of all these sessions; null without a session. */
  readonly median: number | null;
  /** The largest difference, final minus published, and its session; null if no value changed. */
  readonly largest: { readonly change: number; readonly session: string } | null;
}

/** Compares the published and the final values of each reading. Leaves out sessions that lack one of both. */
export function revisions(days: readonly RevisedDay[]): Readonly<Record<ReadingName, Revision>> {
  const compared = READING_NAMES.map((name): [ReadingName, Revision] => {
    const changes = days.flatMap(({ session, published, final }) => {
      const [before, after] = [published[name], final[name]];
      return before === null || after === null ? [] : [{ session, change: after - before }];
    });
    const bySize = changes.sort((a, b) => Math.abs(a.change) - Math.abs(b.change));
    const changed = changes.filter(({ change }) => change !== 0).length;
    const revision = {
      sessions: changes.length,
      changed,
      median: changes.length === 0 ? null : median(bySize.map(({ change }) => Math.abs(change))),
      largest: changed === 0 ? null : (bySize.at(-1) ?? null),
    };
    return [name, revision];
  });
  return Object.fromEntries(compared) as Record<ReadingName, Revision>;
}
