import { resolve } from 'node:path';
import type { KnownGaps } from '#collector/live/run.ts';
import { createCsvSource } from '#collector/sources/csv.ts';
import { createSimulatedSource } from '#collector/sources/simulated.ts';
import type { Source } from '#collector/sources/source.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type FlagValues, textFlag } from './command.ts';
import { type Environment, toMarketSource } from './environment.ts';
import { openLiveSource } from './live-source.ts';
import { UsageError } from './usage-error.ts';

/** The flags that say where market data comes from, for the commands that collect. */
export const SOURCE_FLAGS = {
  source: { type: 'string' },
  dir: { type: 'string' },
  'as-of': { type: 'string' },
  replay: { type: 'boolean' },
} as const;

export const SOURCE_HELP = `  --source NAME   simulated, csv or live; otherwise MARKET_SOURCE
  --dir DIR       the folder of the csv source; otherwise MARKET_CSV_DIR
  --as-of DATE    csv: leave out everything after this day, YYYY-MM-DD
  --replay        csv: show the folder's last session as the newest closed one, marked as a demonstration`;

/** The source that settings and flags name, the flags first; `knownGaps` as of `openLiveSource`. Throws `UsageError`. */
export function chooseSource(environment: Environment, flags: FlagValues, knownGaps?: KnownGaps): Source {
  const named = textFlag(flags, 'source');
  const source = named === undefined ? environment.marketSource : toMarketSource('--source', named);
  const dir = textFlag(flags, 'dir') ?? environment.marketCsvFolder;
  const asOf = textFlag(flags, 'as-of');
  const replay = flags.replay === true;
  if (source !== 'csv') {
    if (replay || asOf !== undefined || flags.dir !== undefined) {
      throw new UsageError('--replay, --as-of and --dir go with the csv source only.');
    }
    return source === 'live' ? openLiveSource(environment, knownGaps) : createSimulatedSource();
  }
  if (dir === null) throw new UsageError('The csv source needs a folder; set MARKET_CSV_DIR or give --dir.');
  if (asOf !== undefined && Number.isNaN(parseDay(asOf))) {
    throw new UsageError(`--as-of is "${asOf}"; write the day as YYYY-MM-DD.`);
  }
  return createCsvSource({ dir: resolve(dir), asOf, replay });
}
