import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { MIDDLING } from '../support/market-tables.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { builtSite, staticHost } from '../support/static-host.ts';

const browser = shared(openBrowser);
const host = shared(() => staticHost(builtSite(), MIDDLING));
let page: Page;

/**
 * Uses React's developer-tools hook to record rendered components: for each its place in the page, which is its section
 * or the class of the nearest element that has one.
 */
function watchRenders(): void {
  interface Fiber {
    tag: number;
    flags: number;
    child: Fiber | null;
    sibling: Fiber | null;
    alternate: Fiber | null;
    stateNode: unknown;
  }
  const COMPONENTS = [0, 11, 14, 15];
  const PERFORMED_WORK = 1;
  const rendered: string[] = [];

  function placeOf(fiber: Fiber | null): string {
    if (fiber === null) return 'nothing';
    if (!(fiber.stateNode instanceof Node)) return placeOf(fiber.child);
    const element = fiber.stateNode instanceof Element ? fiber.stateNode : fiber.stateNode.parentElement;
    const section = element?.closest('main section, main details');
    if (section)
      return `section ${section.getAttribute('aria-labelledby') ?? section.getAttribute('aria-label') ?? section.id}`;
    return element?.closest('[class]:not(.needs-script)')?.getAttribute('class') ?? '';
  }

  function visit(fiber: Fiber): void {
    const before = fiber.alternate;
    if (before === null) return;
    if (COMPONENTS.includes(fiber.tag) && (fiber.flags & PERFORMED_WORK) !== 0) rendered.push(placeOf(fiber));
    if (fiber.child === before.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) visit(child);
  }

  Object.assign(globalThis, {
    rendered,
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: (_: number, root: { current: Fiber }) => visit(root.current),
      onCommitFiberUnmount: () => {},
      onPostCommitFiberRoot: () => {},
    },
  });
}

/** Returns the places that rendered since the last call. */
async function rendered(): Promise<string[]> {
  const places = await page.evaluate(() =>
    (globalThis as unknown as { rendered: string[] }).rendered.splice(0),
  );
  return [...new Set(places)].sort();
}

/** Names of all places that render within five seconds. */
async function inFiveSeconds(): Promise<string[]> {
  await rendered();
  await page.clock.runFor(5000);
  return rendered();
}

/** The place of the price chart, whose rows a refresh reads again. The drawing in it is a section of its own. */
const READ_AGAIN = 'section market-overview-title';
const DRAWING = /^section _r_\w+_$/;

async function refresh(): Promise<string[]> {
  // The countdown must have left its initial value; otherwise its reset would not show that the refresh ended.
  await inFiveSeconds();
  // The price chart reads last. Otherwise it could get the rows of the next refresh, or meet its time limit.
  const closes = page.waitForResponse(/market_indices\?.*created_at=gte/);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.clock.runFor(1000);
  await page.getByText(/Next refresh (60:00|59:59)$/).waitFor();
  await (await closes).finished();
  return (await rendered()).filter((place) => place.startsWith('section ') && place !== READ_AGAIN);
}

// One page for all tests: each starts with the same numbers and no pending rendering.
beforeAll(async () => {
  page = await browser.newPage({ reducedMotion: 'reduce', serviceWorkers: 'block' });
  await page.addInitScript(watchRenders);
  await page.clock.install({ time: '2026-11-20T14:05:00Z' });
  await page.goto(host.url);
  await page.getByText('Signal Breakdown').waitFor();
  // The step of the clock would exceed the time limit of a read that has not finished.
  await page.getByRole('region', { name: 'Price Chart' }).getByRole('slider').waitFor({ state: 'attached' });
  await page.clock.pauseAt('2026-11-20T14:10:00Z');
  expect(await rendered()).toContain('sections');
});

beforeEach(async () => {
  host.tables = MIDDLING;
  await refresh();
  await expect.poll(inFiveSeconds).toEqual(['header-updated']);
});

it('each second renders only the countdown', async () => {
  expect(await inFiveSeconds()).toEqual(['header-updated']);
});

it('a hidden page renders no component until it is shown again', async () => {
  const turn = (state: DocumentVisibilityState) =>
    page.evaluate((visibility) => {
      Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  const countdown = () => page.getByText('Next refresh').innerText();
  await turn('hidden');
  const left = await countdown();
  expect(await inFiveSeconds()).toEqual([]);
  expect(await countdown()).toBe(left);
  await turn('visible');
  await expect.poll(countdown).not.toBe(left);
  expect(await inFiveSeconds()).toEqual(['header-updated']);
});

it('a refresh renders only the panels whose numbers changed', async () => {
  expect(await refresh()).toEqual([]);
  const [first, ...others] = MIDDLING.market_indices;
  host.tables = { ...MIDDLING, market_indices: [{ ...first, change: 50 }, ...others] };
  expect(await refresh()).toEqual(['section Market indices']);
  host.tables = { ...MIDDLING, market_indices: [{ ...first, price: 6800 }, ...others] };
  const places = await refresh();
  // The chart draws its closes after the refresh has ended.
  const soFar = async () => {
    await page.clock.runFor(100);
    places.push(...(await rendered()));
    return places;
  };
  await expect.poll(soFar).toContainEqual(expect.stringMatching(DRAWING));
});
