import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { fearGreedRow, MIDDLING } from '../support/market-tables.ts';
import { openAdvanced } from '../support/opening.ts';
import { pageOverRows, type WrittenRow } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section } from '../support/shown.ts';

const host = shared(pageOverRows);

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-13T21:00:00Z');

async function openTimeline(
  rows: readonly WrittenRow[],
): Promise<{ page: Page; slider: Locator; panel: Locator }> {
  await host.put({ ...MIDDLING, fear_greed_index: rows });
  const page = await host.reopen();
  const panel = section(page, 'Fear & Greed Index');
  await panel.getByRole('tab', { name: 'Timeline' }).click();
  const slider = panel.getByRole('slider');
  await slider.or(panel.getByText('No historical data available')).first().waitFor();
  return { page, slider, panel };
}

/** One row every 30 days of the preceding year, ascending: 0, 25, 50, 75, 100, 0, … */
const YEAR = Array.from({ length: 13 }, (_, at) =>
  fearGreedRow((at % 5) * 25, new Date(NOW - (12 - at) * 30 * DAY).toISOString()),
);

/** The drawing: horizontal lines with their labels, ticks, and the points of the line, in pixels. */
const drawnIn = (chart: Locator) =>
  chart
    .locator('svg')
    .first()
    .evaluate((svg) => {
      const number = (element: Element | null, name: string) => Number(element?.getAttribute(name));
      const lines = [...svg.querySelectorAll('line')].map((line) => ({
        x: number(line, 'x1'),
        y: number(line, 'y1'),
        isLevel: number(line, 'y1') === number(line, 'y2'),
        isDashed: getComputedStyle(line).strokeDasharray !== 'none',
        text: line.parentElement?.querySelector('text')?.textContent ?? '',
      }));
      const path = svg.querySelector('path')?.getAttribute('d') ?? '';
      return {
        height: svg.getBoundingClientRect().height,
        levels: lines.filter(({ isLevel }) => isLevel),
        ticks: lines.filter(({ isLevel }) => !isLevel),
        points: [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(
          ([, x, y]) => [Number(x), Number(y)] as const,
        ),
      };
    });

describe('the timeline of a year', () => {
  let page: Page;
  let slider: Locator;
  let panel: Locator;

  beforeAll(async () => {
    ({ page, slider, panel } = await openTimeline(YEAR));
  });

  it('is 400 pixels high, from 0 to 100, with four dashed lines [S2.21] [S2.22] [S2.23] [S9.21]', async () => {
    const { height, levels, points } = await drawnIn(panel.getByRole('figure'));
    expect(height).toBe(400);
    const placeOf = new Map(levels.map(({ text, y }) => [text, y]));
    const top = placeOf.get('100') ?? Number.NaN;
    const bottom = placeOf.get('0') ?? Number.NaN;
    const valueAt = (y: number) => Math.round(((bottom - y) / (bottom - top)) * 1000) / 10;
    const dashed = levels.filter(({ isDashed }) => isDashed);
    expect(dashed.map(({ text, y }) => [text, valueAt(y)]).sort()).toEqual([
      ['25', 25],
      ['45', 45],
      ['55', 55],
      ['75', 75],
    ]);
    expect(levels).toHaveLength(6);
    expect(points.map(([, y]) => Math.round(valueAt(y)))).toEqual([
      0, 25, 50, 75, 100, 0, 25, 50, 75, 100, 0, 25, 50,
    ]);
    const xs = points.map(([x]) => x);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    const names = ['Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed'];
    expect(await panel.locator('.chart-zone text').allTextContents()).toEqual(names);
  });

  it('shows day, value and label of the point nearest to the pointer, until it leaves [S2.24]', async () => {
    const box = await slider.boundingBox();
    if (box === null) throw new Error('The timeline is not drawn.');
    const { points } = await drawnIn(panel.getByRole('figure'));
    const tip = panel.locator('.chart-tip');
    expect(await tip.count()).toBe(0);
    await page.mouse.move(box.x + (points[4]?.[0] ?? 0) + 3, box.y + 200);
    await tip.waitFor();
    expect(await tip.locator('> span').allTextContents()).toEqual([
      'Wed 18 Mar 2026',
      '100.0 Extreme Greed',
      '+25.0 since Mon 16 Feb',
    ]);
    await page.mouse.move(box.x + (points[11]?.[0] ?? 0) - 3, box.y + 10);
    await tip.getByText('Wed 14 Oct 2026').waitFor();
    expect(await tip.locator('> span').allTextContents()).toEqual([
      'Wed 14 Oct 2026',
      '25.0 Fear',
      '+25.0 since Mon 14 Sep',
    ]);
    await page.mouse.move(box.x, box.y + box.height + 100);
    await tip.waitFor({ state: 'detached' });
  });

  it('keeps a clicked reading under the chart, until another is chosen', async () => {
    const box = await slider.boundingBox();
    if (box === null) throw new Error('The timeline is not drawn.');
    const { points } = await drawnIn(panel.getByRole('figure'));
    await page.mouse.click(box.x + (points[4]?.[0] ?? 0), box.y + 200);
    await page.mouse.move(box.x, box.y + box.height + 100);
    const picked = panel.locator('.timeline-picked');
    expect(await picked.innerText()).toMatch(
      /^Wed 18 Mar 2026\s+100\.0 Extreme Greed\s+\+25\.0 since Mon 16 Feb$/,
    );
    await slider.focus();
    await page.keyboard.press('End');
    expect(await picked.innerText()).toMatch(/^Fri 13 Nov 2026\s/);
  });

  it('shows the reading under a moving finger below the chart', async () => {
    const box = await slider.boundingBox();
    if (box === null) throw new Error('The timeline is not drawn.');
    const { points } = await drawnIn(panel.getByRole('figure'));
    await slider.dispatchEvent('pointermove', {
      pointerType: 'touch',
      clientX: box.x + (points[4]?.[0] ?? 0),
      clientY: box.y + 200,
    });
    await panel.locator('.timeline-picked').getByText('Wed 18 Mar 2026').waitFor();
  });

  it.each([
    ['the browser takes the touch for a scroll', () => slider.dispatchEvent('pointercancel')],
    ['another control gets the focus', () => panel.getByRole('tab', { name: 'Timeline' }).focus()],
  ])('hides the box of a finger when %s', async (_, end) => {
    const tip = panel.locator('.chart-tip');
    await slider.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 200, clientY: 200 });
    await tip.waitFor();
    await end();
    await tip.waitFor({ state: 'detached' });
  });

  it('keeps the tooltip within the chart at both ends, and has none under a finger on a phone', async () => {
    const tip = panel.locator('.chart-tip');
    /** Number of pixels by which the tooltip leaves the chart: the largest of left, right and above. */
    const strayed = async () => {
      const [chart, box] = [await slider.boundingBox(), await tip.boundingBox()];
      if (chart === null || box === null) throw new Error('There is no tip.');
      return Math.max(chart.x - box.x, box.x + box.width - chart.x - chart.width, chart.y - box.y);
    };
    for (const width of [1280, 640, 390]) {
      await page.setViewportSize({ width, height: 780 });
      await slider.focus();
      for (const key of ['Home', 'End']) {
        await page.keyboard.press(key);
        await tip.waitFor();
        // The chart is redrawn a moment after its position changes.
        await expect.poll(strayed, { message: `${key} at ${width} px` }).toBeLessThanOrEqual(1);
      }
    }
    const devices = await page.context().newCDPSession(page);
    await devices.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await tip.waitFor({ state: 'hidden' });
    expect(await panel.locator('.timeline-picked').innerText()).toMatch(/^Fri 13 Nov 2026\s/);
  });
});

describe('the timeline', () => {
  it('states that there is no history if the year has no row [S2.25] [S8.9]', async () => {
    const { panel, slider } = await openTimeline([fearGreedRow(50, '2025-10-31T20:00:00Z')]);
    expect(await slider.count()).toBe(0);
    await panel
      .getByText('No historical data available. Historical data will appear here once fetched.', {
        exact: true,
      })
      .waitFor();
  });
});

describe('the history of a figure', () => {
  async function openHistory(): Promise<Locator> {
    await host.put(MIDDLING);
    const page = await host.reopen();
    await openAdvanced(page);
    await page.getByRole('button', { name: 'A year of VIX', exact: true }).click();
    return page.getByRole('dialog', { name: 'VIX' });
  }

  it('keeps its button and its heading in a low window', async () => {
    const history = await openHistory();
    await history.page().setViewportSize({ width: 740, height: 360 });
    await history.page().keyboard.press('Escape');
    const button = history.page().getByRole('button', { name: 'A year of VIX', exact: true });
    await button.click();
    await history.getByRole('slider').waitFor({ state: 'attached' });
    const close = history.getByRole('button', { name: 'Close' });
    const boxes = await Promise.all([button, close].map((part) => part.boundingBox()));
    for (const box of boxes) {
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(360);
    }
  });

  it('moves with the page and keeps its height while the page scrolls', async () => {
    const history = await openHistory();
    await history.getByRole('slider').waitFor({ state: 'attached' });
    const before = await history.boundingBox();
    await history.page().evaluate(() => scrollBy({ top: -300, behavior: 'instant' }));
    const after = await history.boundingBox();
    expect(before?.height).toBeGreaterThan(200);
    expect([after?.height, (after?.y ?? 0) - (before?.y ?? 0)]).toEqual([before?.height, 300]);
  });
});
