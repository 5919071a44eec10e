import type { ParseArgsConfig } from 'node:util';
import type { Environment } from './settings/environment.ts';

/** What a command may touch of the world. */
export interface Context {
  environment: Environment;
  now: () => number;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** One command of `barometer`: its help, its flags and what it does. */
export interface Command {
  /** The text of `--help`, without the trailing line break. */
  help: string;
  flags: NonNullable<ParseArgsConfig['options']>;
  /** The names of what stands after the command without a flag, all of which it needs: `['ADDRESS']`. */
  positionals?: readonly string[];
  /** Runs to its end and answers the exit code. Throws an error whose message is one plain sentence. */
  run(context: Context, flags: FlagValues, positionals: readonly string[]): Promise<number>;
}

/** The text of a flag that takes one; undefined when it was not given. */
export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** A wrong flag or environment value: its message is one plain sentence, and the process ends with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
