import { resolve } from 'node:path';
import { createCsvSource } from '#collector/sources/csv.ts';
import { createSimulatedSource } from '#collector/sources/simulated.ts';
import type { Source } from '#collector/sources/source.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type FlagValues, textFlag } from './command.ts';
import { type Environment, toMarketSource } from './environment.ts';
import { UsageError } from './usage-error.ts';

/** The flags that say where market data comes from, for the commands that collect. */
export const SOURCE_FLAGS = {
  source: { type: 'string' },
  dir: { type: 'string' },
  'as-of': { type: 'string' },
  replay: { type: 'boolean' },
} as const;

export const SOURCE_HELP = `  --source NAME   simulated or csv; otherwise MARKET_SOURCE
  --dir DIR       the folder of the csv source; otherwise MARKET_CSV_DIR
  --as-of DATE    leave out everything after this day, YYYY-MM-DD
  --replay        show the folder's last session as the newest closed one, marked as a demonstration`;

/** The source that settings and flags name, the flags first. Throws `UsageError`. */
export function chooseSource({ marketSource, marketCsvFolder }: Environment, flags: FlagValues): Source {
  const named = textFlag(flags, 'source');
  const source = named === undefined ? marketSource : toMarketSource('--source', named);
  const dir = textFlag(flags, 'dir') ?? marketCsvFolder;
  const asOf = textFlag(flags, 'as-of');
  const replay = flags.replay === true;
  if (source === 'live') {
    throw new UsageError('The live source is not part of this version yet; use simulated or csv.');
  }
  if (source === 'simulated') {
    if (replay || asOf !== undefined)
      throw new UsageError('--replay and --as-of go with the csv source only.');
    return createSimulatedSource();
  }
  if (dir === null) throw new UsageError('The csv source needs a folder; set MARKET_CSV_DIR or give --dir.');
  if (asOf !== undefined && Number.isNaN(parseDay(asOf))) {
    throw new UsageError(`--as-of is "${asOf}"; write the day as YYYY-MM-DD.`);
  }
  return createCsvSource({ dir: resolve(dir), asOf, replay });
}
