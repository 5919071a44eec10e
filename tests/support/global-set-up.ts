import { ensureBuilt } from '../../scripts/set-up.mjs';
import { hasPostgres } from './postgres.ts';

/**
 * These tests run the built product and its worker, so they must match the sources; and where Postgres is still to be
 * installed, it is once, before test files do so at the same time.
 */
export function setup(): void {
  ensureBuilt();
  hasPostgres();
}
