import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { lastSessions } from '#domain/calendar/sessions.ts';
import { allowComplaints } from '../support/complaints.ts';
import { pagesForTests } from '../support/pages.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

/** Sessions of the demonstration, ascending. */
const sessions = lastSessions(new Date().toISOString().slice(0, 10), 30);
const day = `/on/${sessions[10]}`;

async function openAt(path: string): Promise<Page> {
  const page = await fresh();
  await page.goto(url + path);
  return page;
}

describe('past days and the quality of the data', () => {
  it('lead from one session to the next, to a chosen date and back to today', async () => {
    const page = await openAt(day);
    await page.getByRole('link', { name: /^Next: / }).click();
    await page.waitForURL(`**/on/${sessions[11]}`);
    await page.getByRole('link', { name: /^Previous: / }).click();
    await page.waitForURL(`**${day}`);
    await page.getByLabel('Another date').fill(sessions[5] ?? '');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(`**/on/${sessions[5]}`);
    await page.getByLabel('Compare with').fill(sessions[8] ?? '');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL(`**/on/${sessions[5]}?with=${sessions[8]}`);
    await page.getByRole('heading', { name: 'Numbers that differ' }).waitFor();
    await page.getByRole('link', { name: 'Data quality' }).click();
    await page.getByRole('heading', { name: 'Data quality' }).waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Barometer Dashboard' }).waitFor();
  });

  it('have their score on the scale of the verdicts, without a line of the weeks before', async () => {
    const page = await openAt(day);
    expect(await page.locator('.signal svg.scale').count()).toBe(1);
    expect(await page.locator('.trail').count()).toBe(0);
  });

  it('are linked below the dashboard, with the number of open gaps', async () => {
    const page = await openAt('/');
    // After the last run of a session's evening, its rows were published on their own day, so they are checked.
    const name = /○ (No session checked yet|1 of 90 sessions checked, no open gaps)/;
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: 'Data quality' }).waitFor();
    await page.getByRole('link', { name: /Tue / }).first().click();
    await page.getByRole('link', { name: /^Next: Wed / }).waitFor();
  });

  it('never replace the page of today at /, even offline', async () => {
    const page = await fresh({ serviceWorkers: 'allow' });
    await page.goto(url);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.goto(url + day);
    await page.getByText('nobody saw this page at the time').waitFor();
    await page.context().setOffline(true);
    allowComplaints(page, /./);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Barometer Dashboard' }).waitFor();
    expect(await page.getByText('nobody saw this page at the time').count()).toBe(0);
  });
});
