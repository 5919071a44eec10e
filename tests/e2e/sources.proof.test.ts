import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { heldRequests } from '../support/held-requests.ts';
import { recordShifts, shiftsOnceSettled } from '../support/layout.ts';
import { BELL, fearGreedRow, MIDDLING } from '../support/market-tables.ts';
import { pageOverRows, type WrittenRow } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';

const host = shared(pageOverRows);

/** Origins of the rows of Fri 13 Nov 2026, close. */
const ORIGINS: readonly WrittenRow[] = [
  { input: 'bars', provider: 'alpaca' },
  { input: 'nyse_advances', provider: 'wsj' },
  { input: 'nyse_declines', provider: 'wsj' },
  {
    input: 'treasury_10y_yield',
    provider: 'fred',
    session: '2026-11-12',
    observed_at: '2026-11-12T21:00:00Z',
  },
  { input: 'put_call_total', provider: null, session: null, observed_at: null, fetched_at: null },
];

async function record(origins: readonly WrittenRow[]): Promise<void> {
  const stamp = {
    session: '2026-11-13',
    observed_at: BELL,
    fetched_at: '2026-11-13T21:31:04Z',
    created_at: BELL,
    source: 'live',
  };
  const columns = 'input, provider, session, observed_at, fetched_at, source, created_at';
  await host.commit(() =>
    host.database.transaction(async (transaction) => {
      await transaction.query('truncate public.input_origins');
      await transaction.query(
        `insert into public.input_origins (${columns})
         select ${columns} from json_populate_recordset(null::public.input_origins, $1::json)`,
        [JSON.stringify(origins.map((origin) => ({ ...stamp, ...origin })))],
      );
    }),
  );
}

const disclosure = (page: Page) => page.locator('#origins');
const toggle = (page: Page) => page.getByText('Where these numbers come from', { exact: true }).click();

/** Counts the page's reads of origins from now on. */
function countReads(page: Page): () => number {
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/rest/v1/input_origins')) reads += 1;
  });
  return () => reads;
}

beforeEach(async () => {
  await host.put(MIDDLING);
  await record(ORIGINS);
});

describe('the origins of the numbers', () => {
  // One page. Each test starts with the origins closed.
  let page: Page;
  beforeEach(async () => {
    page = await host.show(MIDDLING);
    if ((await disclosure(page).getAttribute('open')) !== null) await toggle(page);
  });

  it('are read once per opening and again after a refresh', async () => {
    const reads = countReads(page);
    expect(await disclosure(page).getAttribute('open')).toBeNull();
    expect(reads()).toBe(0);
    await toggle(page);
    await page.getByRole('cell', { name: 'Alpaca' }).waitFor();
    expect(reads()).toBe(1);
    await record([{ input: 'bars', provider: 'yahoo' }]);
    await page.clock.setFixedTime('2026-11-13T21:40:00Z');
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await page.getByRole('cell', { name: 'Yahoo Finance' }).waitFor();
    expect(reads()).toBe(2);
    expect(host.problems()).toEqual([]);
  });

  it('describe demonstration data without a request', async () => {
    await record([]);
    const reads = countReads(page);
    await toggle(page);
    await page.getByText('The origin of these numbers was not recorded').waitFor();
    const simulated = Object.entries(MIDDLING).map(([table, rows]) => [
      table,
      rows.map((row) => ({ ...row, source: 'simulated' })),
    ]);
    await host.show(Object.fromEntries(simulated));
    await disclosure(page).getByText('a simulated market with invented companies').waitFor();
    expect(reads()).toBe(1);
    expect(await page.getByRole('link', { name: 'Sources' }).count()).toBe(0);
  });

  it('are one click from the header and from an index with parts of an earlier session', async () => {
    await host.show({
      ...MIDDLING,
      fear_greed_index: [fearGreedRow(50, BELL, { earlier_components: 'junk_bond_demand' })],
    });
    const panel = page.getByRole('region', { name: 'Fear & Greed Index' });
    expect(await panel.innerText()).toContain('* of an earlier session');
    for (const link of [
      panel.getByRole('link', { name: 'an earlier session' }),
      page.getByRole('banner').getByRole('link', { name: 'Sources' }),
    ]) {
      await link.click();
      const cell = page.getByRole('cell', { name: 'Alpaca' });
      await cell.waitFor();
      const top = () => disclosure(page).evaluate((element) => element.getBoundingClientRect().top);
      await expect.poll(top).toBeLessThan(900);
      await toggle(page);
      await cell.waitFor({ state: 'detached' });
    }
  });
});

describe('the table of origins', () => {
  it('takes the place of its loading state without a shift', async () => {
    const { hold, release } = heldRequests();
    const page = await host.open({
      // The whole page, since the browser counts only shifts inside the window.
      viewport: { width: 1280, height: 5000 },
      own: true,
      before: async (opening) => {
        await recordShifts(opening);
        await opening.route('**/rest/v1/input_origins?*', hold);
      },
    });
    await toggle(page);
    await page.getByText('Loading where the numbers come from').waitFor();
    await shiftsOnceSettled(page);
    release('answer');
    const rows = disclosure(page).getByRole('row');
    await rows.first().waitFor();
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });

  it('shows the reason of a failed read and retries on request', async () => {
    const page = await host.open({
      before: async (opening) => {
        allowComplaints(opening, FAILED_REQUEST);
        await opening.route(
          '**/rest/v1/input_origins?*',
          (route) =>
            route.fulfill({ status: 500, json: { code: '57P03', message: 'The database is away.' } }),
          { times: 1 },
        );
      },
    });
    await toggle(page);
    await page.getByRole('alert').getByText('could not be read: The database is away.').waitFor();
    await disclosure(page).getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('cell', { name: 'Alpaca' }).waitFor();
  });
});
