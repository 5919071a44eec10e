import { ensureBuilt } from '../../scripts/set-up.mjs';

/** The browser tests run the built product, so it must match the sources. */
export function setup(): void {
  ensureBuilt();
}
