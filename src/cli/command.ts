import type { ParseArgsConfig } from 'node:util';
import type { Environment } from './settings/environment.ts';

/** The settings, clock and output that a command uses. */
export interface Context {
  environment: Environment;
  now: () => number;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** One command of `barometer`. */
export interface Command {
  /** The text of `--help`, without the trailing line break. */
  help: string;
  flags: NonNullable<ParseArgsConfig['options']>;
  /** Names of the required parameters, such as `['ADDRESS']`. */
  positionals?: readonly string[];
  /** Performs the command and returns the exit code. Throws an error whose message is one plain sentence. */
  run(context: Context, flags: FlagValues, positionals: readonly string[]): Promise<number>;
}

/** Returns the value of a flag; undefined if the flag is not given. */
export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The error for a wrong flag or setting. The exit code is 2, and the message is one plain sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}
