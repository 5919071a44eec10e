import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { BELL, fearGreedRow, MIDDLING } from '../support/market-tables.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section } from '../support/shown.ts';

const host = shared(pageOverRows);

/** Two sessions; three components have a value in both. */
const ALL = [
  // This row is at 22:00 on Thursday in New York.
  fearGreedRow(25, '2026-11-13T03:00:00Z', {
    market_momentum: 55.5,
    stock_price_strength: 40,
    stock_price_breadth: 31.2,
  }),
  fearGreedRow(50, BELL, {
    market_momentum: 60,
    stock_price_strength: 40.04,
    stock_price_breadth: 30,
    market_volatility: 10,
  }),
];

describe('Fear & Greed with a row for each earlier value', () => {
  let page: Page;

  beforeAll(async () => {
    await host.put({ ...MIDDLING, fear_greed_index: ALL });
    page = await host.open();
  });

  it('shows the day of a component on hover, on a tap and with arrow keys until Escape', async () => {
    const panel = section(page, 'Fear & Greed Index');
    const line = panel.getByRole('slider', { name: /^Market momentum/ });
    const tip = panel.locator('.chart-tip');
    await panel.scrollIntoViewIfNeeded();
    const shown = async () => (await tip.innerText()).split('\n').map((text) => text.trim());
    expect(await tip.count()).toBe(0);
    await line.hover({ position: { x: 1, y: 10 } });
    expect(await shown()).toEqual(['Thu 12 Nov 2026', '55.5 Greed']);
    await page.mouse.move(0, 0);
    expect(await tip.count()).toBe(0);
    await line.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 0 });
    expect(await shown()).toEqual(['Thu 12 Nov 2026', '55.5 Greed']);
    await line.focus();
    await page.keyboard.press('End');
    expect(await shown()).toEqual(['Fri 13 Nov 2026', '60.0 Greed', '+4.5 since Thu 12 Nov']);
    await page.keyboard.press('ArrowLeft');
    expect(await shown()).toEqual(['Thu 12 Nov 2026', '55.5 Greed']);
    await page.keyboard.press('Escape');
    expect(await tip.count()).toBe(0);
  });
});

it('keeps the rows of the components without sparklines if their read fails', async () => {
  await host.put({ ...MIDDLING, fear_greed_index: ALL });
  const failed: string[] = [];
  const page = await host.open({
    before: (opened) =>
      opened.route('**/rest/v1/fear_greed_sessions*', async (route) => {
        failed.push(route.request().method());
        await route.fulfill({ status: 500, json: {} });
      }),
  });
  allowComplaints(page, FAILED_REQUEST);
  const panel = section(page, 'Fear & Greed Index');
  await panel.scrollIntoViewIfNeeded();
  await expect.poll(() => failed).toEqual(['GET']);
  await page.waitForLoadState('networkidle');
  expect(await panel.locator('.component-row .bar').count()).toBe(7);
  expect(await panel.getByRole('slider').count()).toBe(0);
});
