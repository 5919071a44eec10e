import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

/** The paths of the links in a part of the page, relative to the page. */
const pathsIn = (page: Page, part: string) =>
  page.locator(`${part} a`).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

describe('links to the pages of the server', () => {
  let page: Page;
  beforeAll(async () => {
    page = await fresh({ viewport: { width: 1280, height: 900 } });
    await openAwake(page, url);
  });

  it('lead from each earlier reading to the page of its session', async () => {
    const days = await pathsIn(page, '.fear-greed-earlier');
    expect(days).toHaveLength(4);
    for (const day of [...days, ...(await pathsIn(page, '.since-date'))]) {
      expect(day).toMatch(/^on\/\d{4}-\d{2}-\d{2}$/);
      expect((await fetch(new URL(day, url))).status, day).toBe(200);
    }
  });

  it('lead from the distance to the next verdict to its levers, and from the risk outlook to its page', async () => {
    expect(await pathsIn(page, '.signal-notes')).toEqual(['method#flip', 'risk']);
    expect(await page.locator('.signal-notes [href=risk]').innerText()).toMatch(
      /^4-week S&P 500 outlook of \d+ \w+: volatility \d+\.\d% a week \(80% range \d+\.\d%\sto\s\d+\.\d%\)\.$/,
    );
  });

  it.each([360, 768, 1280])('stand in the header of a window %i px wide', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['Record', 'Past days', 'Method']);
    const heights = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });

  it('leaves two lines below the trail, and the details behind a disclosure', async () => {
    expect(await page.locator('.signal-notes > li').count()).toBe(2);
    const details = page.locator('.signal-reasons > details');
    expect(await details.innerText()).toBe('Change and stability');
    await details.locator('summary').click();
    expect((await details.innerText()).split('\n').filter((line) => line !== '')).toEqual([
      'Change and stability',
      expect.stringMatching(/^Since last week: /),
      expect.stringMatching(/ if (?:one|any one) input is left out/),
      expect.stringMatching(/^The next week had another verdict in \d+% of the weeks on record\.$/),
    ]);
  });

  it('lead from a point of the timeline, chosen by keyboard, to the page of its session', async () => {
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('slider', { name: /^Fear & Greed/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    const focused = page.locator('a:focus');
    const date = await focused.innerText();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/on/*');
    expect(await page.title()).toContain(date);
  });
});

describe('sharing', () => {
  /** Opens the menu by keyboard, with a clipboard that stores its texts in the page. */
  async function openMenu(clipboard: string): Promise<Page> {
    const page = await fresh();
    await page.addInitScript(
      `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: ${clipboard} });`,
    );
    await openAwake(page, url);
    await page.getByRole('button', { name: 'Share', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Share' }).waitFor();
    return page;
  }

  it('copies link, badge and embed code by keyboard', async () => {
    const page = await openMenu('{ writeText: async (text) => { (window.copied ??= []).push(text); } }');
    for (const name of ['Link', 'Badge code', 'Embed code']) {
      await page.getByRole('button', { name: `Copy ${name}` }).focus();
      await page.keyboard.press('Enter');
      await page.getByText(`${name} copied.`).waitFor();
    }
    const [link, badge, embed] = await page.evaluate<string[]>('window.copied');
    expect(link).toBe(new URL('.', url).href);
    expect(badge).toContain(`<img src="${new URL('badge.svg', url).href}"`);
    expect(embed).toContain(`<iframe src="${new URL('embed', url).href}"`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Share' }).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Share');
  });

  it('opens and closes the menu by each press of its button', async () => {
    const page = await openMenu('undefined');
    const button = page.getByRole('button', { name: 'Share', exact: true });
    for (const state of ['detached', 'visible', 'detached'] as const) {
      await button.click();
      await page.getByRole('dialog', { name: 'Share' }).waitFor({ state });
    }
  });

  it('selects the text if the browser has no clipboard', async () => {
    const page = await openMenu('undefined');
    await page.getByRole('button', { name: 'Copy Badge code' }).click();
    await page.getByText('The text is selected.').waitFor();
    const selected = await page
      .getByLabel('Badge code', { exact: true })
      .evaluate((field: HTMLInputElement) => {
        return [field.selectionStart, field.selectionEnd, field.value.length];
      });
    expect(selected).toEqual([0, selected[2], selected[2]]);
  });

  it('shows no button without script', async () => {
    const page = await fresh({ javaScriptEnabled: false });
    await page.goto(url);
    expect(await page.getByText('Share', { exact: true }).isVisible()).toBe(false);
  });

  it('marks without script what can be unfolded, and not what is unfolded', async () => {
    const page = await fresh({ javaScriptEnabled: false });
    await page.goto(url);
    expect(await page.locator('#origins > summary .chevron').isVisible()).toBe(true);
    expect(await page.locator('.advanced-toggle .chevron').isVisible()).toBe(false);
  });
});
