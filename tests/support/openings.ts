import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';
import { type EmbeddedOptions, openEmbedded } from '#database/embedded/open-embedded.ts';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { copyTemplate, databaseParent } from './embedded.ts';
import { isLocked } from './is-locked.ts';

/** A folder for databases until the end of these tests, and functions that open them there. */
export function openingsOfTheseTests() {
  const parent = databaseParent();
  afterAll(() => fs.rmSync(parent, { recursive: true, force: true }));
  return {
    parent,
    /** Opens a database until the end of the test. */
    async open(folder: string, options: Partial<EmbeddedOptions> = {}): Promise<Database> {
      const database = await openEmbedded({ folder, ...options });
      onTestFinished(() => database.close());
      return database;
    },
    /** A copy of a migrated database. */
    async copied(name: string): Promise<string> {
      const folder = join(parent, name);
      await copyTemplate(folder);
      return folder;
    },
  };
}

export const countMetrics = async (database: Database): Promise<unknown> =>
  (await queryOnce(database, 'select count(*) as n from market_metrics'))[0]?.n;

/** The error of an opening that is refused. */
export async function refusal(
  folder: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<DatabaseUnavailable> {
  const error = await openEmbedded({ folder, ...options }).catch((reason: unknown) => reason);
  if (!(error instanceof DatabaseUnavailable)) throw new Error(`Refused otherwise: ${String(error)}`);
  expect(isLocked(folder)).toBe(false);
  expect(error.message).toMatch(/^[^\n]+\. [^\n]+\.$/);
  expect(error.reason).toBe('unusable');
  return error;
}
