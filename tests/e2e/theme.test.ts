import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { allowComplaints } from '../support/complaints.ts';
import { awake, openAdvanced, openAwake } from '../support/opening.ts';
import { pagesForTests, sharedVisit } from '../support/pages.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

let page: Page;

async function open(): Promise<void> {
  page = await fresh({ colorScheme: 'dark' });
  await openAwake(page, url);
}

const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const DARK = 'rgb(11, 15, 23)';
const LIGHT = 'rgb(244, 242, 237)';

describe('the theme', () => {
  sharedVisit(open);

  it('follows the system, also when that changes', async () => {
    expect(await ground()).toBe(DARK);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe(LIGHT);
  });

  it('is the same in every window', async () => {
    const other = await page.context().newPage();
    await openAwake(other, url);
    const choose = other.getByRole('combobox', { name: 'Colour theme' });
    const chosen = page.getByRole('combobox', { name: 'Colour theme' });
    for (const theme of ['light', 'system'] as const) {
      await choose.selectOption(theme);
      await page.waitForFunction(
        (value) => (document.documentElement.dataset.theme ?? 'system') === value,
        theme,
      );
      expect(await chosen.inputValue()).toBe(theme);
    }
    await other.close();
  });

  it('changes the page first, then the sections in the window, then the rest, with a paint between', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    const { colours, marked } = await page.evaluate(async () => {
      const parts = [document.body, ...document.querySelectorAll('main section')];
      const seen = () =>
        [parts[0], parts[1], parts.at(-1)].map((part) => part && getComputedStyle(part).color);
      const painted = () => new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
      const select = document.querySelector<HTMLSelectElement>('select[title="Colour theme"]');
      if (select !== null) select.value = 'dark';
      const before = seen();
      select?.dispatchEvent(new Event('change', { bubbles: true }));
      const first = seen();
      await painted();
      const second = seen();
      await painted();
      const colours = [before, first, second, seen()];
      return { colours, marked: document.querySelectorAll('[data-theme]').length };
    });
    const [light, dark] = ['rgb(26, 33, 48)', 'rgb(232, 237, 246)'];
    expect(colours).toEqual([
      [light, light, light],
      [dark, light, light],
      [dark, dark, light],
      [dark, dark, dark],
    ]);
    expect(marked).toBe(1);
    await page.getByRole('combobox', { name: 'Colour theme' }).selectOption('System');
  });

  it('is the visitor’s stored choice before any script of the page, on every page', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    const choice = page.getByRole('combobox', { name: 'Colour theme' });
    await choice.selectOption('Dark');
    expect(await ground()).toBe(DARK);
    allowComplaints(page, /Failed to load resource: .*\/assets\//);
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(await ground()).toBe(DARK);
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await awake(page);
    expect(await choice.inputValue()).toBe('dark');
    await page.goto(`${url}/record`);
    const week = await page.locator('.weeks a').first().getAttribute('href');
    for (const path of ['record', week, 'on', 'quality', 'method', 'risk']) {
      await page.goto(`${url}/${path}`);
      expect([path, await ground()]).toEqual([path, DARK]);
    }
    await openAwake(page, url);
    await choice.selectOption('System');
    expect(await ground()).toBe(LIGHT);
    expect(await page.evaluate(() => localStorage.getItem('barometer-theme'))).toBeNull();
  });
});

it('prints all text on white, including closed sections, and no controls', async () => {
  await open();
  await page.getByRole('combobox', { name: 'Colour theme' }).selectOption('Dark');
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByRole('slider', { name: /Fear & Greed/ }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await ground()).toBe('rgb(255, 255, 255)');
  await page.getByRole('heading', { name: 'Sector Strength' }).waitFor();
  await page.getByText('Previous close', { exact: true }).waitFor();
  await page.getByText(/^As of /).waitFor();
  await page.getByText('Demo data').first().waitFor();
  for (const hidden of ['.button', '.widget-frame', '.tab', '.about', 'select']) {
    expect(await page.locator(hidden).filter({ visible: true }).count(), hidden).toBe(0);
  }
});

describe('the page', () => {
  sharedVisit(async () => {
    await open();
    await page.emulateMedia({ colorScheme: 'light' });
    await openAdvanced(page);
  });

  it.each([390, 1280])(
    'has six font sizes and a seventh for the verdict, without gradient or glow, at %i px',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const odd = await page.evaluate(() => {
        const found = new Set<string>();
        for (const element of document.querySelectorAll('body *')) {
          const style = getComputedStyle(element);
          const said = [...element.childNodes].some(
            (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '',
          );
          const drawn = element instanceof SVGElement;
          const sizes = ['12px', '14px', '16px', '20px', '28px', '44px'];
          if (element.matches('.verdict')) sizes.push('72px');
          if (said && !drawn && !sizes.includes(style.fontSize)) {
            found.add(`${style.fontSize} ${element.textContent}`);
          }
          // The ticks of a rail are layers of one colour each.
          const layers = style.backgroundImage.replaceAll(
            /linear-gradient\((rgba?\([^)]*\)), \1\)(, )?/g,
            '',
          );
          if (!['', 'none'].includes(layers) || style.textShadow !== 'none' || style.filter !== 'none') {
            found.add(element.outerHTML.slice(0, 80));
          }
        }
        return [...found];
      });
      expect(odd).toEqual([]);
    },
  );

  it('has no motion for visitors who prefer reduced motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((element) => {
          const { animationName, transitionDuration } = getComputedStyle(element);
          return animationName !== 'none' || !/^0s(, 0s)*$/.test(transitionDuration);
        })
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    expect(moving).toEqual([]);
  });

  it('keeps its drawings distinct in forced colours [R15]', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    const fill = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((part) => getComputedStyle(part).fill);
    for (const [part, other] of [
      ['rect.zone[data-active]', 'rect.zone:not([data-active])'],
      ['.gauge-zone[data-active] path', '.gauge-zone:not([data-active]) path'],
      ['.gauge-zone[data-active] path', '.gauge-zone[data-active] text'],
      ['.bar-part', '.bar-ground'],
      ['.rail-mark', '.bar-ground'],
    ] as const) {
      expect(await fill(part), part).not.toBe(await fill(other));
    }
    const tab = (selected: boolean) =>
      page.getByRole('tab', { selected }).evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(await tab(true)).not.toBe(await tab(false));
    await page.emulateMedia({ forcedColors: 'none' });
  });
});
