import { ensureBuilt } from '../../scripts/set-up.mjs';

/** Worker threads and child processes of the tests run the built server, so it must match the sources. */
export async function setup(): Promise<void> {
  await ensureBuilt();
}
