import { READING_NAMES, type ReadingName, type Readings } from '../signal/flips.ts';
import { median } from '../statistics.ts';

/** The readings of a session as they were first published, and as they are now. */
export interface RevisedDay {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  readonly published: Readings;
  readonly final: Readings;
}

/**
 * The sessions with both values and those that differ, the median size of all differences (null without any), and the
 * largest difference, final minus published (null if none).
 */
function revisionOf(days: readonly RevisedDay[], name: ReadingName) {
  const changes = days.flatMap(({ session, published, final }) => {
    const [before, after] = [published[name], final[name]];
    return before === null || after === null ? [] : [{ session, change: after - before }];
  });
  const bySize = changes.sort((a, b) => Math.abs(a.change) - Math.abs(b.change));
  const changed = changes.filter(({ change }) => change !== 0).length;
  return {
    sessions: changes.length,
    changed,
    median: changes.length === 0 ? null : median(bySize.map(({ change }) => Math.abs(change))),
    largest: changed === 0 ? null : (bySize.at(-1) ?? null),
  };
}

/** The revisions of each reading. Leaves out sessions that lack one of both values. */
export const revisions = (days: readonly RevisedDay[]) =>
  Object.fromEntries(READING_NAMES.map((name) => [name, revisionOf(days, name)])) as Record<
    ReadingName,
    ReturnType<typeof revisionOf>
  >;
