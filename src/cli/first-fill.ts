import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { FlagValues } from './command.ts';
import type { Environment } from './environment.ts';
import { embeddedFolder } from './open-database.ts';
import { PROGRAM } from './paths.ts';

const asParameters = (flags: FlagValues): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (typeof value === 'string') return [`--${name}`, value];
    return value === true ? [`--${name}`] : [];
  });

/**
 * Makes and fills an embedded database that does not exist yet, in a process of its own: making one takes
 * 800 MB that a process never gives back, and the one that serves runs for months. Answers the exit code, null
 * when there was nothing to make; a failure has been told on the standard error.
 */
export async function makeEmbeddedDatabase(
  environment: Environment,
  flags: FlagValues,
  stop: AbortSignal,
): Promise<number | null> {
  if (environment.databaseUrl !== null || existsSync(embeddedFolder(environment))) return null;
  const child = spawn(process.execPath, [PROGRAM, 'backfill', ...asParameters(flags)], {
    // The channel closes with this process, however it ends, and the child ends with it.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const passOn = () => child.kill('SIGTERM');
  stop.addEventListener('abort', passOn);
  const [code] = await once(child, 'exit');
  stop.removeEventListener('abort', passOn);
  return typeof code === 'number' ? code : 1;
}
