import { resolve } from 'node:path';
import type { KnownGaps } from '#collector/live/run.ts';
import { createCsvSource } from '#collector/sources/csv-source.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import type { Source } from '#collector/sources/source.ts';
import { parseDay } from '#domain/calendar/days.ts';
import type { NamedSource } from '#server/jobs/servers.ts';
import { type FlagValues, textFlag, UsageError } from '../command.ts';
import { type Environment, toMarketSource } from './environment.ts';
import { openLiveSource } from './live-source.ts';

/** The flags that name the source of market data. */
export const SOURCE_FLAGS = {
  source: { type: 'string' },
  dir: { type: 'string' },
  'as-of': { type: 'string' },
  replay: { type: 'boolean' },
} as const;

export const SOURCE_HELP = `  --source NAME   simulated, csv or live; default: MARKET_SOURCE
  --dir DIR       the folder of the csv source; default: MARKET_CSV_DIR
  --as-of DATE    csv: ignore data after this day, YYYY-MM-DD
  --replay        csv: show the last session of the folder as the newest closed one, marked as a demonstration`;

/** True if a flag or a setting names the source. */
export function isSourceSet(environment: Environment, flags: FlagValues): boolean {
  return environment.isMarketSourceSet || Object.keys(SOURCE_FLAGS).some((name) => flags[name] !== undefined);
}

/**
 * Returns the source that the flags name, or if they name none, the source of the settings. Throws `UsageError` for an
 * unknown name.
 */
export function namedSource(environment: Environment, flags: FlagValues): NamedSource {
  const named = textFlag(flags, 'source');
  const source = named === undefined ? environment.marketSource : toMarketSource(named, '--source');
  const folder = textFlag(flags, 'dir') ?? environment.marketCsvFolder;
  return {
    source: source === 'csv' && flags.replay === true ? 'replay' : source,
    folder: source === 'csv' && folder !== null ? resolve(folder) : null,
  };
}

/** Throws an error if a command uses another source than the server that runs on its database. */
export function checkSameSource(command: NamedSource, server: NamedSource, flags: FlagValues): void {
  const [flag, setting, ours, theirs] =
    command.source !== server.source
      ? ['source', 'MARKET_SOURCE', command.source, server.source]
      : ['dir', 'MARKET_CSV_DIR', command.folder, server.folder];
  if (ours === theirs) return;
  const name = flags[flag] === undefined ? setting : `--${flag}`;
  throw new Error(
    `${name} is ${ours} for this command and ${theirs} for the server on this database. Stop that server first, or start it with the same source.`,
  );
}

/** Returns the flags that name the source of a server. */
export function flagsOf({ source, folder }: NamedSource): FlagValues {
  if (folder === null) return { source };
  return { source: 'csv', dir: folder, ...(source === 'replay' && { replay: true }) };
}

/** Converts flags to the parameters of a command line. */
export const flagParameters = (flags: FlagValues): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (typeof value === 'string') return [`--${name}`, value];
    return value === true ? [`--${name}`] : [];
  });

/** Opens the source that `namedSource` returns. `openLiveSource` describes `knownGaps`. Throws `UsageError`. */
export function chooseSource(environment: Environment, flags: FlagValues, knownGaps?: KnownGaps): Source {
  const { source, folder: dir } = namedSource(environment, flags);
  const asOf = textFlag(flags, 'as-of');
  const replay = flags.replay === true;
  if (source !== 'csv' && source !== 'replay') {
    if (replay || asOf !== undefined || flags.dir !== undefined) {
      throw new UsageError('--replay, --as-of and --dir work only with the csv source.');
    }
    return source === 'live' ? openLiveSource(environment, knownGaps) : createSimulatedSource();
  }
  if (dir === null) throw new UsageError('The csv source needs a folder. Set MARKET_CSV_DIR or pass --dir.');
  if (asOf !== undefined && Number.isNaN(parseDay(asOf))) {
    throw new UsageError(`--as-of is "${asOf}"; write the day as YYYY-MM-DD.`);
  }
  return createCsvSource({ dir, asOf, replay });
}
