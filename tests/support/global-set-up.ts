import { ensureBuilt } from '../../scripts/set-up.mjs';
import { hasNginx, hasPsql, hasSystemd, hasYaml } from './debian.ts';
import { hasPgbouncer } from './pgbouncer.ts';

/**
 * Builds the product if it is older than its sources, because these tests run the build and its worker. Installs the
 * Debian packages before test files run in parallel.
 */
export function setup(): void {
  ensureBuilt();
  hasNginx();
  hasPsql();
  hasSystemd();
  hasYaml();
  hasPgbouncer();
}
