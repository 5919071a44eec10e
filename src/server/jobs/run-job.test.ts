import { expect, it } from 'vitest';
import type { Source } from '#collector/history/source.ts';
import { EVERYTHING, type Publishing, type Right, type Supplier } from '#collector/providers/rights.ts';
import { readRiskRecord } from '#record/record-risk.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { smallSource } from '#tests/support/small-source.ts';
import { storeRiskRights } from './run-job.ts';

const { database } = databaseOfTheseTests();

/** Takes the rights in a database with stored data of `stored` that has published nothing. */
async function isRecorded(
  settings: Partial<Publishing>,
  {
    suppliersOf = () => ['csv'],
    stored = [],
  }: { suppliersOf?: (input: string) => Supplier[]; stored?: readonly (readonly [string, string])[] } = {},
): Promise<boolean> {
  const publishing: Source['publishing'] = {
    settings: { ...EVERYTHING, ...settings },
    suppliersOf,
    sheet: [],
  };
  await database.transaction(async (transaction) => {
    await transaction.query('delete from operations.published_rights');
    await transaction.query('delete from public.input_origins');
    for (const origin of stored)
      await transaction.query('insert into public.input_origins (input, provider) values ($1, $2)', origin);
  });
  return storeRiskRights(database, { ...smallSource(), publishing });
}

const PUBLIC = (right: Right): Partial<Publishing> => ({
  audience: 'public',
  licences: new Map([['csv', right]]),
});

it('records the risk outlook of a source without rights', async () => {
  expect(await storeRiskRights(database, smallSource())).toBe(true);
});

it.each<[string, Partial<Publishing>, boolean]>([
  ['everything shown at once', {}, true],
  ['a private page', { audience: 'private' }, true],
  ['a public page with the right to the values', PUBLIC('value'), true],
  ['a public page with the right to derived figures', PUBLIC('derived'), false],
  ['a public page without a licence', { audience: 'public' }, false],
  ['a delay of one session', { delay: 1 }, false],
  ['a delay and the right to the values', { ...PUBLIC('value'), delay: 1 }, false],
])('records the risk outlook of %s only if its closes may be shown now', async (_, settings, expected) => {
  expect(await isRecorded(settings)).toBe(expected);
  const { isForbidden } = await database.transaction(readRiskRecord);
  expect(isForbidden).toBe(!expected && settings.delay === undefined);
});

it('records no risk outlook if only the closes of the S&P 500 may be shown', async () => {
  const suppliersOf = (input: string): Supplier[] => [input === 'vix_close' ? 'cboe' : 'csv'];
  expect(await isRecorded(PUBLIC('value'), { suppliersOf })).toBe(false);
});

it('records no risk outlook of stored closes whose supplier has no right or is unknown', async () => {
  const suppliersOf = (input: string): Supplier[] => (input === 'vix_close' ? [] : ['csv']);
  expect(await isRecorded(PUBLIC('value'), { suppliersOf })).toBe(false);
  expect(await isRecorded(PUBLIC('value'), { stored: [['vix_close', 'cboe']] })).toBe(false);
});
