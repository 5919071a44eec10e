import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { changed, MIDDLING } from '../support/market-tables.ts';
import { openAdvanced } from '../support/opening.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section, shownIn, texts } from '../support/shown.ts';

const host = shared(pageOverRows);

beforeAll(async () => {
  await host.put({
    ...MIDDLING,
    ...changed('market_metrics', { market_exposure: 60, overall_strength: 30 }),
    ...changed('market_breadth', { advancing_stocks: 50, unchanged_stocks: 20, declining_stocks: 30 }),
  });
});

/** Opens the page with motion and a clock that only the test moves. */
async function openStill(): Promise<Page> {
  const page = await host.open({ clock: 'movable', reducedMotion: 'no-preference' });
  await page.clock.pauseAt('2026-11-13T22:00:00Z');
  return page;
}

const counting = (page: Page) => section(page, 'Market Exposure').locator('.counted [aria-hidden=true]');

/** Lengths of the bars in a part of the page, in percent of their track. */
const lengthsIn = (place: Locator): Promise<number[]> =>
  place.locator('.bar').evaluateAll((bars) =>
    bars.flatMap((bar) => {
      const whole = bar.getBoundingClientRect().width;
      return [...bar.querySelectorAll('.bar-part')].map((part) =>
        Math.round((part.getBoundingClientRect().width / whole) * 100),
      );
    }),
  );

describe('a metric that counts up', () => {
  /** The text for screen readers, also while numbers are counting. */
  const readOut = (page: Page) =>
    section(page, 'Market Exposure').evaluate((card) => {
      const copy = card.cloneNode(true) as Element;
      for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
      return copy.textContent ?? '';
    });

  it('starts in view and takes 60 equal steps within 1.5 seconds [S2.26] [S4.15] [R17]', async () => {
    const page = await openStill();
    expect(await readOut(page)).toContain('60.0%');
    expect(await counting(page).count()).toBe(0);
    await section(page, 'Market Exposure').scrollIntoViewIfNeeded();
    await counting(page).waitFor();
    const card = section(page, 'Market Exposure');
    const shown = () =>
      card.evaluate((it) => it.querySelector('.counted [aria-hidden=true]')?.textContent?.trim());
    const seen: string[] = [];
    let elapsed = 0;
    // Advances the clock by one frame at a time, so that no step is missed.
    for (let value = await shown(); value !== undefined && elapsed < 3000; value = await shown()) {
      if (value !== seen.at(-1)) seen.push(value);
      if (seen.length === 10) expect(await readOut(page)).toContain('60.0%');
      await page.clock.runFor(16);
      elapsed += 16;
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, step) => `${step}.0`));
    expect(elapsed).toBeGreaterThanOrEqual(1500);
    expect(elapsed).toBeLessThan(1540);
    expect(texts(await shownIn(section(page, 'Market Exposure')))).toContain('60.0');
  });

  it('is printed with its value', async () => {
    const page = await openStill();
    await section(page, 'Market Exposure').scrollIntoViewIfNeeded();
    await counting(page).waitFor();
    await page.emulateMedia({ media: 'print' });
    await counting(page).waitFor({ state: 'hidden' });
    const value = section(page, 'Market Exposure').getByText('60.0', { exact: true });
    expect(await value.evaluate((it) => getComputedStyle(it).opacity)).toBe('1');
  });
});

describe('animated bars', () => {
  it('start at 0 and grow to their share 100 ms after they appear [S2.27] [S2.28] [S4.14]', async () => {
    const page = await openStill();
    await openAdvanced(page);
    const sections = [
      { place: section(page, 'Market Breadth'), lengths: [50, 20, 30] },
      { place: section(page, 'Sector Strength'), lengths: Array(11).fill(50) },
    ];
    const drawn = () => Promise.all(sections.map(({ place }) => lengthsIn(place)));
    for (const { place } of sections) await place.scrollIntoViewIfNeeded();
    const none = sections.map(({ lengths }) => lengths.map(() => 0));
    await expect.poll(drawn).toEqual(none);
    await page.clock.runFor(99);
    expect(await drawn()).toEqual(none);
    await page.clock.runFor(2);
    await expect.poll(drawn).toEqual(sections.map(({ lengths }) => lengths));
  });
});

it('shows final values and full bars immediately with reduced motion', async () => {
  const page = await host.open({ clock: 'movable', reducedMotion: 'reduce' });
  await section(page, 'Market Exposure').scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await counting(page).count()).toBe(0);
  expect(texts(await shownIn(section(page, 'Market Exposure')))).toContain('60.0');

  await page.clock.pauseAt('2026-11-13T22:00:00Z');
  await openAdvanced(page);
  const breadth = section(page, 'Market Breadth');
  await breadth.scrollIntoViewIfNeeded();
  expect(await lengthsIn(breadth)).toEqual([50, 20, 30]);
});
