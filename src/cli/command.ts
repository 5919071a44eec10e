import type { ParseArgsConfig } from 'node:util';
import type { Environment } from './settings/environment.ts';

/** The settings, clock and output of a command. */
export interface Context {
  environment: Environment;
  now: () => number;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** One command of `barometer`. */
export interface Command {
  /** The text of `--help`, without the trailing line break. */
  help: string;
  flags: NonNullable<ParseArgsConfig['options']>;
  /** Names of the required parameters: `['ADDRESS']`. */
  positionals?: readonly string[];
  /** Returns the exit code. Throws an error whose message is one plain sentence. */
  run(context: Context, flags: FlagValues, positionals: readonly string[]): Promise<number>;
}

/** The value of a flag; undefined without one. */
export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** A wrong flag or setting: exit code 2. The message is one plain sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}
