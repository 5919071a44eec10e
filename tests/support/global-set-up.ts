import { ensureBuilt } from '../../scripts/set-up.mjs';
import { hasPgbouncer } from './pgbouncer.ts';
import { hasPostgres } from './postgres.ts';

/**
 * These tests run the built product and its worker, so they must match the sources; and where Postgres and its pooler are
 * still to be installed, they are once, before test files do so at the same time.
 */
export function setup(): void {
  ensureBuilt();
  hasPostgres();
  hasPgbouncer();
}
