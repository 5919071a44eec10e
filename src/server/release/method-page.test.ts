import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { PATIENT } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { createMethodPage } from './method-page.ts';

const NOW = Date.parse('2026-11-14T12:00:00Z');
/** Monday evening, when the rows of Monday should have been published. */
const MONDAY_EVENING = Date.parse('2026-11-16T23:00:00Z');

let embedded: EmbeddedForTest;
let transactions = 0;
let isAway = false;
let time = NOW;
beforeAll(async () => {
  embedded = await embeddedForTest();
  await writeTables(embedded.database, MIDDLING);
});
afterAll(() => embedded.remove());

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const watch = fakeMarketWatch(() => time);
const create = () =>
  createMethodPage({
    database: {
      ...embedded.database,
      transaction: (async (work, options) => {
        transactions += 1;
        if (isAway) throw new Error('away');
        return embedded.database.transaction(work, options);
      }) as typeof embedded.database.transaction,
    },
    watch,
    productName: 'Barometer',
    now: () => time,
    log,
    ...PATIENT,
  });

describe('the page about the method', () => {
  it('reads the history once for all requests of a version of the data', async () => {
    transactions = 0;
    const page = create();
    const pages = await Promise.all(Array.from({ length: 50 }, () => page()));
    expect([new Set(pages.map(({ resource }) => resource)).size, transactions]).toEqual([1, 1]);
    expect(pages[0]?.resource.content.toString()).toContain('The verdict is HOLD at 50.0 points');
    expect(pages[0]?.resource.br?.length).toBeLessThan(14_600);
    watch.version += 1;
    expect((await page()).resource.content).toEqual(pages[0]?.resource.content);
    expect(transactions).toBe(2);
  });

  it('updates the age of its data without another read', async () => {
    transactions = 0;
    const page = create();
    await page();
    time = MONDAY_EVENING;
    expect((await page()).resource.content.toString()).toContain('1 session behind');
    expect(transactions).toBe(1);
    time = NOW;
  });

  it('is built again after a failure', async () => {
    const page = create();
    isAway = true;
    await expect(page()).rejects.toThrow('away');
    isAway = false;
    expect((await page()).resource.status).toBe(200);
  });

  it('is served with its age while the database is unavailable', async () => {
    const page = create();
    const { resource } = await page();
    watch.version += 1;
    isAway = true;
    time += 90_000;
    expect(await page()).toEqual({ resource, age: 90 });
    isAway = false;
    expect((await page()).age).toBeNull();
    time = NOW;
  });
});
