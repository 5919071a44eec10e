import { resolve } from 'node:path';
import type { KnownGaps } from '#collector/live/run.ts';
import { createCsvSource } from '#collector/sources/csv.ts';
import { createSimulatedSource } from '#collector/sources/simulated.ts';
import type { Source } from '#collector/sources/source.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { type FlagValues, textFlag } from './command.ts';
import { type Environment, type MarketSourceSetting, toMarketSource } from './environment.ts';
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

/** A source by its name, and the folder of the csv source; null for any other source. */
export interface NamedSource {
  readonly source: MarketSourceSetting;
  readonly dir: string | null;
}

/** The source that settings and flags name, the flags first. Throws `UsageError` for an unknown name. */
export function namedSource(environment: Environment, flags: FlagValues): NamedSource {
  const named = textFlag(flags, 'source');
  const source = named === undefined ? environment.marketSource : toMarketSource('--source', named);
  const dir = textFlag(flags, 'dir') ?? environment.marketCsvFolder;
  return { source, dir: source === 'csv' && dir !== null ? resolve(dir) : null };
}

/**
 * Throws an error if the settings of a command name another source than the server that runs the command for it. A
 * source that the flags name is the one that the server uses.
 */
export function checkSameSource(command: NamedSource, server: NamedSource): void {
  const [setting, ours, theirs] =
    command.source !== server.source
      ? ['MARKET_SOURCE', command.source, server.source]
      : ['MARKET_CSV_DIR', command.dir, server.dir];
  if (ours === theirs) return;
  throw new UsageError(
    `${setting} is ${ours} for this command and ${theirs} for the server that has the database open; stop that server first, or start it with the same setting.`,
  );
}

/** The source that settings and flags name, the flags first; `knownGaps` as of `openLiveSource`. Throws `UsageError`. */
export function chooseSource(environment: Environment, flags: FlagValues, knownGaps?: KnownGaps): Source {
  const { source, dir } = namedSource(environment, flags);
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
  return createCsvSource({ dir, asOf, replay });
}
