import { expect, it } from 'vitest';
import { fillState, listenEarly } from '#server/app/starting.ts';
import { findingsOf } from '../support/accessibility.ts';
import { allowComplaints } from '../support/complaints.ts';
import { faultsOf } from '../support/layout.ts';
import { pagesForTests } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const open = pagesForTests();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const config = { host: '127.0.0.1', port: 0, publicUrl: null, productName: 'Barometer' };
const listener = shared(() => listenEarly({ ...config, log }));

it('the page of a starting server shows the progress at every width', async () => {
  listener.report(fillState({ stage: 'fetching', done: 5_000, total: 20_000 }));
  const page = await open({ viewport: { width: 320, height: 640 } });
  allowComplaints(page, / 503 /);
  // Keeps the page from loading again during the checks.
  await page.route('**/*', async (route) => {
    const response = await route.fetch();
    const { refresh: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto(listener.url);
  expect(await page.locator('main').innerText()).toMatch(
    /^Barometer\s+Barometer is starting\s+The first fill is running: fetching, 5,000 of 20,000\.\s+This page opens by itself/,
  );
  expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('value')).toBe('0.25');
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 640 });
    expect(await faultsOf(page)).toEqual([]);
  }
  expect(await findingsOf(page)).toEqual({ violations: [], undecided: [] });
});

it('the dashboard replaces the page of a starting server by itself', async () => {
  const page = await open({ javaScriptEnabled: false });
  allowComplaints(page, / 503 /);
  await page.goto(listener.url);
  await page.getByRole('heading', { name: 'Barometer is starting' }).waitFor();
  listener.serve((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><html lang="en"><title>Data</title><h1>The dashboard</h1></html>');
  });
  await page.getByRole('heading', { name: 'The dashboard' }).waitFor();
});
