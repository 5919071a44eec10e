import type { ParseArgsConfig, parseArgs } from 'node:util';
import type { Environment } from './settings/environment.ts';

export interface Context {
  environment: Environment;
  now: () => number;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** The values of flags, with a type for each. */
export type FlagValues<Flags extends Options> = ReturnType<typeof parseArgs<{ options: Flags }>>['values'];

export interface Command<Flags extends Options = Options> {
  /** The text of `--help`, without the trailing line break. */
  help: string;
  flags: Flags;
  /** Names of the required parameters, such as `['ADDRESS']`. */
  positionals?: readonly string[];
  /** Performs the command and returns the exit code. Throws an error whose message is one plain sentence. */
  run(context: Context, flags: FlagValues<Flags>, positionals: readonly string[]): Promise<number>;
}

export const command = <const Flags extends Options>(definition: Command<Flags>) => definition;
