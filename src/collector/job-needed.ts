import type { Database } from '#database/port.ts';
import { latenessOf, readNewestRows } from './freshness.ts';
import { LIVE_LIMITS } from './live/limits.ts';
import type { Job } from './runs.ts';
import { readShownSource } from './shown-source.ts';
import type { Source } from './sources/source.ts';

/**
 * What has to be done for the database to show the market of a source up to `now`: a backfill while it shows
 * nothing of it, and where a source with a past is more sessions behind than a run reads of everything.
 */
export async function jobNeeded(database: Database, source: Source, now: number): Promise<Job> {
  if ((await readShownSource(database, now)) !== source.word) return 'backfill';
  if (source.past === undefined) return 'collect';
  const newest = await readNewestRows(database, now);
  const behind = newest === null ? 0 : latenessOf(newest, now).sessionsBehind;
  return behind > LIVE_LIMITS.correctedSessions ? 'backfill' : 'collect';
}
