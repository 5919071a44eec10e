import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureBuilt } from '../../scripts/set-up.mjs';
import { hasNginx, hasPsql, hasSystemd, hasYaml } from './debian.ts';
import { hasPgbouncer } from './pgbouncer.ts';

/** Time in which a Postgres that was told to stop must end (ms). */
const END_MS = 10_000;

/** The Postgres servers with data below a folder: process id and data folder. Empty without /proc. */
function serversBelow(folder: string): string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    let parameters: string[];
    try {
      parameters = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    } catch {
      return []; // ended meanwhile
    }
    const option = parameters.indexOf('-D');
    const data = option < 0 ? '' : (parameters[option + 1] ?? '');
    return /(^|\/)postgres$/.test(parameters[0] ?? '') && data.startsWith(`${folder}/`)
      ? [`${pid} (${data})`]
      : [];
  });
}

/** Throws if the tests left a Postgres behind in this temporary folder. */
async function checkNothingRuns(before: readonly string[]): Promise<void> {
  const left = () => serversBelow(tmpdir()).filter((server) => !before.includes(server));
  for (const deadline = Date.now() + END_MS; left().length > 0 && Date.now() < deadline; ) await wait(100);
  if (left().length === 0) return;
  process.exitCode = 1; // Vitest only prints an error of a teardown.
  throw new Error(
    `The tests left Postgres running: ${left().join(', ')}. Close it in the test. Another test run at the same time needs another TMPDIR.`,
  );
}

/**
 * Builds the product if it is older than its sources, because these tests run the build and its worker. Installs the
 * Debian packages before test files run in parallel. Returns the teardown.
 */
export function setup(): () => Promise<void> {
  ensureBuilt();
  hasNginx();
  hasPsql();
  hasSystemd();
  hasYaml();
  hasPgbouncer();
  const before = serversBelow(tmpdir());
  return () => checkNothingRuns(before);
}
