import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Paths are relative to dist/server, because the program is bundled into that folder, and to src/cli in tests.
export const CLIENT_FOLDER = fileURLToPath(new URL('../client', import.meta.url));
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../supabase/migrations', import.meta.url));
export const UNIVERSE_FILE = fileURLToPath(
  new URL('../../src/collector/universe/sp500.csv', import.meta.url),
);
export const DRAW_WORKER_URL = new URL('./draw-worker.js', import.meta.url);
export const PROGRAM = fileURLToPath(new URL('./barometer.js', import.meta.url));

export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
