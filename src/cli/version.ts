import { readFileSync } from 'node:fs';
import { PACKAGE_FILE } from './paths.ts';

/** Returns the version of Barometer. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };
  return version;
}
