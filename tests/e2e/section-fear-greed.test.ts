import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { BELL, fearGreedRow, MIDDLING } from '../support/market-tables.ts';
import { pageOverRows, type WrittenRow } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { readingsIn, section, texts } from '../support/shown.ts';

const host = shared(pageOverRows);

const EARLIER = ['Previous close', '1 week ago', '1 month ago', '1 year ago'] as const;

async function openWith(rows: readonly WrittenRow[], now?: string): Promise<Page> {
  await host.put({ ...MIDDLING, fear_greed_index: rows });
  return now === undefined ? host.reopen() : host.open({ now });
}

/** Texts of the earlier values by name. Missing ones are left out. */
async function earlierOn(page: Page): Promise<Record<string, string[]>> {
  const readings = await readingsIn(section(page, 'Fear & Greed Index'), EARLIER);
  return Object.fromEntries(
    Object.entries(readings).flatMap(([name, shown]) =>
      shown.length === 0 ? [] : [[name, texts(shown).filter((text) => text !== name)]],
    ),
  );
}

/** A row at each time that the section names and at others, with components at two of them. */
const ALL = [
  fearGreedRow(20, '2026-11-12T15:00:00Z'),
  fearGreedRow(24.9, '2026-11-12T21:00:00Z'),
  // This row is at 22:00 on Thursday in New York.
  fearGreedRow(25, '2026-11-13T03:00:00Z', {
    market_momentum: 55.5,
    stock_price_strength: 40,
    stock_price_breadth: 31.2,
  }),
  // This row is at midnight at the start of Friday in New York.
  fearGreedRow(99, '2026-11-13T05:00:00Z'),
  fearGreedRow(10, '2026-11-06T15:00:00Z'),
  fearGreedRow(54.9, '2026-11-06T21:00:00Z'),
  fearGreedRow(55, '2026-10-14T20:00:00Z'),
  fearGreedRow(75, '2025-11-13T21:00:00Z'),
  fearGreedRow(50, BELL, {
    market_momentum: 60,
    stock_price_strength: 40.04,
    stock_price_breadth: 30,
    market_volatility: 10,
  }),
];

/** Angle of a needle, in degrees from the left end of the gauge. */
const degreesOf = (page: Page, needle: string) =>
  page
    .locator(`${needle} line`)
    .first()
    .evaluate((line) => {
      const of = (name: string) => Number(line.getAttribute(name));
      return Math.round((Math.atan2(of('y1') - of('y2'), of('x1') - of('x2')) * 1800) / Math.PI) / 10;
    });

describe('Fear & Greed with a row for each earlier value', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openWith(ALL);
  });

  it('shows the latest values of 1, 7, 30 and 365 days ago, by days in New York [S2.20] [S3.9] [S7.4] [S9.3]', async () => {
    expect(await earlierOn(page)).toEqual({
      'Previous close': ['12 Nov 2026', '25.0', 'Fear'],
      '1 week ago': ['6 Nov 2026', '54.9', 'Neutral'],
      '1 month ago': ['14 Oct 2026', '55.0', 'Greed'],
      '1 year ago': ['13 Nov 2025', '75.0', 'Extreme Greed'],
    });
  });

  it('has a gauge with the words of its five zones from left to right [S2.18]', async () => {
    const gauge = page.getByRole('img', { name: /^Fear & Greed stands/ });
    const words = (await gauge.locator('text[transform]').allTextContents()).filter(
      (word) => !['NOW', '1Y AGO'].includes(word),
    );
    expect(words).toEqual(['Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed']);
  });

  it('points the NOW needle and the 1Y AGO needle at their values [S2.19]', async () => {
    const gauge = page.getByRole('img', {
      name: 'Fear & Greed stands at 50.0 of 100, Neutral. A year ago it stood at 75.0, Extreme Greed.',
    });
    expect(await gauge.getByText('NOW', { exact: true }).count()).toBe(1);
    expect(await gauge.getByText('1Y AGO', { exact: true }).count()).toBe(1);
    expect(await degreesOf(page, '.gauge-now')).toBe(90);
    expect(await degreesOf(page, '.gauge-year-ago')).toBe(135);
  });

  it('shows the change of each component since the previous close', async () => {
    const readings = await readingsIn(section(page, 'Fear & Greed Index'), [
      'Market momentum',
      'Price strength',
      'Price breadth',
      'Volatility',
    ]);
    expect(texts(readings['Market momentum'])).toEqual(expect.arrayContaining(['60.0', '+4.5', '(Rising)']));
    expect(texts(readings['Price strength'])).toEqual(expect.arrayContaining(['40.0', '0.0', '(Unchanged)']));
    expect(texts(readings['Price breadth'])).toEqual(expect.arrayContaining(['30.0', '−1.2', '(Falling)']));
    expect(texts(readings.Volatility).join(' ')).not.toMatch(/Rising|Falling|Unchanged/);
  });

  it('draws the components that have a history over a year', async () => {
    const panel = section(page, 'Fear & Greed Index');
    const lines = panel.getByRole('slider');
    await panel.scrollIntoViewIfNeeded();
    await lines.first().waitFor();
    expect(await lines.evaluateAll((all) => all.map((line) => line.ariaLabel))).toEqual([
      'Market momentum, a year: lowest 55.5, highest 60.0',
      'Price strength, a year: lowest 40.0, highest 40.0',
      'Price breadth, a year: lowest 30.0, highest 31.2',
    ]);
    expect(await lines.first().getAttribute('aria-valuetext')).toBe(
      'Fri 13 Nov 2026: 60.0, Greed, +4.5 since Thu 12 Nov',
    );
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

  it('has two tabs, Overview first; each hides the part of the other [S2.17] [S4.4]', async () => {
    const panel = section(page, 'Fear & Greed Index');
    const tab = (name: string) => panel.getByRole('tab', { name });
    const selected = async () => [
      await tab('Overview').getAttribute('aria-selected'),
      await tab('Timeline').getAttribute('aria-selected'),
    ];
    const gauge = panel.getByRole('img', { name: /^Fear & Greed stands/ });
    expect(await panel.getByRole('tab').allInnerTexts()).toEqual(['Overview', 'Timeline']);
    expect(await selected()).toEqual(['true', 'false']);
    expect(await gauge.isVisible()).toBe(true);
    await tab('Timeline').click();
    const timeline = panel.getByRole('slider', { name: /^Fear & Greed/ });
    await timeline.waitFor();
    expect(await selected()).toEqual(['false', 'true']);
    expect(await gauge.isVisible()).toBe(false);
    await tab('Overview').click();
    expect(await selected()).toEqual(['true', 'false']);
    await gauge.waitFor();
    expect(await timeline.isVisible()).toBe(false);
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

describe('the earlier values of Fear & Greed', () => {
  it('are left out if the table has none [S2.20]', async () => {
    const page = await openWith([fearGreedRow(50)]);
    expect(await earlierOn(page)).toEqual({});
    const panel = await section(page, 'Fear & Greed Index').innerText();
    for (const name of EARLIER) expect(panel).not.toContain(name);
  });
});
