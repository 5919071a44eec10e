import { ensureBuilt } from '../../scripts/set-up.mjs';

/** These tests run the built product and its worker, so they must match the sources. */
export function setup(): void {
  ensureBuilt();
}
