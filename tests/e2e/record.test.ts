import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { faultsOf } from '../support/layout.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { pages as samples } from '../support/picture-samples/documents.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

interface Row {
  week: string;
  verdict: string | null;
  score: number | null;
}

/** All rows of a view through the table API. */
async function rowsOf<R>(view: string): Promise<R[]> {
  const page = await (await fetch(url)).text();
  const key = /sb_publishable_[\w-]{32}/.exec(page)?.[0] ?? '';
  const response = await fetch(`${url}/rest/v1/${view}?select=*&order=id.asc&apikey=${key}`);
  return (await response.json()) as R[];
}

async function openAt(path: string, options: Parameters<typeof fresh>[0] = {}): Promise<Page> {
  const page = await fresh(options);
  await page.goto(url + path);
  return page;
}

/** The first cells of each row in the list of weeks. */
const weeksOn = (page: Page) =>
  page
    .locator('.weeks tr:has(th a)')
    .evaluateAll((rows) =>
      rows.map((row) => [row.querySelector('a')?.textContent, row.querySelector('td')?.textContent]),
    );

/** Opens the weeks of all years. */
const openYears = (page: Page) =>
  page.locator('details').evaluateAll((all) => {
    for (const year of all) (year as HTMLDetailsElement).open = true;
  });

/** The addresses of a week and of the next one. */
let week: string;
let nextWeek: string;
beforeAll(async () => {
  const [first, second] = (await rowsOf<Row>('issued_signals')).slice(-8);
  week = isoWeekOf(first?.week ?? '');
  nextWeek = isoWeekOf(second?.week ?? '');
});

describe('the record', () => {
  it.each([360, 390])('fits into %i px with corrected, void and withheld weeks', async (width) => {
    const page = await fresh({ viewport: { width, height: 800 } });
    await page.setContent(samples['record-live']);
    await openYears(page);
    await page.getByText('corrected', { exact: true }).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(['?verdict=BUY', '?limit=1', '?from=2026-01-01&sort=score', '?demo=0'])(
    'is the same with the query %s',
    async (query) => {
      const [plain, asked] = await Promise.all(
        ['/record', `/record${query}`].map(async (path) => (await fetch(url + path)).text()),
      );
      expect(asked).toBe(plain);
    },
  );

  it('is linked from the signal card and to each week', async () => {
    const page = await fresh();
    await openAwake(page, url);
    await page
      .getByRole('link', { name: /^Demo record since .*: \d+ weeks(; [^;]*: too few to say)?$/ })
      .click();
    await page.getByRole('heading', { name: 'The record of the weekly signal' }).waitFor();
    await openYears(page);
    await page.getByRole('link', { name: week }).click();
    await page.getByRole('heading', { name: `Signal of week ${week}` }).waitFor();
    await page.getByRole('row', { name: /^Weighted score 100%/ }).waitFor();
    await page.getByRole('link', { name: `${nextWeek} →` }).click();
    await page.getByRole('heading', { name: `Signal of week ${nextWeek}` }).waitFor();
    await page.getByRole('link', { name: 'All weeks' }).click();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Barometer Dashboard' }).waitFor();
  });

  it('lets the pointer and the keys move through the weeks of the chart, and leads to the row of a week', async () => {
    const page = await openAt('/record');
    const slider = page.getByRole('slider', { name: 'Week' });
    const readout = page.locator('.readout');
    const rows = await weeksOn(page);
    const [newest, before] = rows.map(([name]) => name ?? '');
    await slider.hover();
    await readout.getByRole('link').waitFor();
    await slider.focus();
    await page.keyboard.press('End');
    expect(await readout.textContent()).toMatch(new RegExp(`^${newest} .*S&P 500 after 1 week pending`));
    await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(new RegExp(`^${before} `));
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(before);
    await page
      .getByRole('link', { name: String(before) })
      .last()
      .click();
    await page.waitForURL(`**/record/${before}`);
  });

  it('opens a closed year for its link and for a week of the chart', async () => {
    const page = await openAt('/record');
    const years = page.locator('details');
    const oldest = years.last();
    const [name = ''] = (await weeksOn(page)).at(-1) ?? [];
    const isOpen = () => oldest.evaluate((year) => (year as HTMLDetailsElement).open);
    expect(await isOpen()).toBe(false);
    await page.locator('.years a').last().click();
    await oldest.getByRole('table').waitFor();
    expect(
      await oldest.locator('summary').evaluate((summary) => summary.getBoundingClientRect().top),
    ).toBeGreaterThanOrEqual(0);
    await oldest.locator('summary').press('Enter');
    expect(await isOpen()).toBe(false);
    await page.getByRole('slider', { name: 'Week' }).press('Home');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    await oldest.getByRole('table').waitFor();
  });

  it('prints the weeks of all years', async () => {
    const page = await openAt('/record', { javaScriptEnabled: false });
    const tables = page.locator('.weeks');
    const shown = () =>
      tables.evaluateAll(
        (all) => all.filter((table) => table.checkVisibility({ contentVisibilityAuto: true })).length,
      );
    expect(await shown()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    expect(await shown()).toBe(await tables.count());
  });

  it('keeps chart and rows without a script', async () => {
    const page = await openAt('/record', { javaScriptEnabled: false });
    expect(await page.locator('.record-chart path').count()).toBeGreaterThan(6);
    expect(await page.getByRole('slider').count()).toBe(0);
    expect(await faultsOf(page, { hasScripts: false })).toEqual([]);
  });
});
