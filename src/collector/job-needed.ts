import type { Database } from '#database/port.ts';
import { latenessOf, readNewestRows } from './freshness.ts';
import { LIVE_LIMITS } from './live/limits.ts';
import type { Job } from './runs.ts';
import { readShownSource } from './shown-source.ts';
import type { Source } from './sources/source.ts';

/**
 * The job that brings the database up to date with a source: a backfill if nothing of the source is shown, or if a
 * source with a backfill is further behind than a run corrects; otherwise a collect.
 */
export async function jobNeeded(database: Database, source: Source, now: number): Promise<Job> {
  if ((await readShownSource(database, now)) !== source.word) return 'backfill';
  if (source.reach === undefined) return 'collect';
  const newest = await readNewestRows(database, now);
  const behind = newest === null ? 0 : latenessOf(newest, now).sessionsBehind;
  return behind > LIVE_LIMITS.correctedSessions ? 'backfill' : 'collect';
}
