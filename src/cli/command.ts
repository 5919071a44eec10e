import type { ParseArgsConfig } from 'node:util';
import type { Environment } from './settings/environment.ts';
import type { FlagValues } from './settings/flags.ts';

export interface Context {
  environment: Environment;
  now: () => number;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export interface Command {
  /** The text of `--help`, without the trailing line break. */
  help: string;
  flags: NonNullable<ParseArgsConfig['options']>;
  /** Names of the required parameters, such as `['ADDRESS']`. */
  positionals?: readonly string[];
  /** Performs the command and returns the exit code. Throws an error whose message is one plain sentence. */
  run(context: Context, flags: FlagValues, positionals: readonly string[]): Promise<number>;
}
