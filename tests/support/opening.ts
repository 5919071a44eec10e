import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pageHeaders } from '#server/http/security-headers.ts';
import { pageTemplate } from '#server/page/served-page.ts';
import { ROOT } from '../../scripts/set-up.mjs';

/**
 * Waits until the page is interactive. The countdown is missing from the markup, so it shows that hydration started;
 * sections laid out everywhere show that it has finished.
 */
export async function awake(page: Page): Promise<void> {
  await page
    .locator('.header-updated > .needs-script:not(:has(.clock-unknown))')
    .waitFor({ state: 'attached' });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.sections > *')].every(
      (section) => getComputedStyle(section).contentVisibility === 'visible',
    ),
  );
}

/** Opens the page at `url` and waits until it is interactive. */
export async function openAwake(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await awake(page);
}

/** Opens the advanced section, whose content appears a moment after the click. */
export async function openAdvanced(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
  await page.locator('#advanced-content').waitFor();
}

/** Refreshes the page and waits until that has finished. */
export async function refreshed(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Refresh', exact: true });
  await button.click();
  await button.and(page.locator(':enabled')).waitFor();
}

/** Makes the page hidden for a moment, which makes it store the state for a later visit. */
export async function lookAway(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Reflect.deleteProperty(document, 'visibilityState');
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * Serves the page of the server at `url` without data, as during a database outage or from a static host; the page then
 * reads by itself. `change` gets the HTML and returns a replacement. `client` is the folder of the built page.
 */
export async function withoutData(
  page: Page,
  url: string,
  change = (html: string) => html,
  client = join(ROOT, 'dist', 'client'),
): Promise<void> {
  await page.route(new URL('/', url).href, async (route) => {
    const response = await route.fetch();
    const told = /id="barometer-config">(.*?)<\/script>/s.exec(await response.text())?.[1] ?? 'null';
    const built = readFileSync(join(client, 'index.html'), 'utf8');
    const { shell } = pageTemplate(built, JSON.parse(told), null);
    const headers = { ...response.headers(), ...lowerCased(pageHeaders(shell)) };
    await route.fulfill({ response, headers, body: change(shell) });
  });
}
