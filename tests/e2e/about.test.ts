import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXPLANATIONS, type Explanation } from '#views/explanations.ts';
import { allowComplaints } from '../support/complaints.ts';
import { MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import { sharedVisit } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const FAILED = 'This explanation could not be loaded. Please reload the page.';
const TITLE = 'Advanced Market Indicators, Sectors & Breadth';
const explanations: readonly Explanation[] = Object.values(EXPLANATIONS);
const wide = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const over = shared(pageOverRows);
let page: Page;

const about = (name: string) => page.getByRole('button', { name: `About ${name}`, exact: true }).first();
const note = () => page.getByRole('dialog');
const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

async function open(options: Parameters<PageOverRows['open']>[0] = {}): Promise<void> {
  page = await over.open(options);
  await page.getByRole('button', { name: TITLE }).click();
  await page.mouse.move(0, 0);
}

/** Returns the text of the open explanation. */
async function read(): Promise<string[]> {
  await note().getByText(/\.$/).first().waitFor();
  return (await note().innerText()).split('\n').filter((line) => line !== '');
}

beforeAll(async () => {
  const indicators = { rsi: 58.4, macd: 1.2, moving_avg_trend: 'bullish', volume_trend: 'increasing' };
  await over.put({
    ...MIDDLING,
    market_sentiment: ['short', 'medium', 'long'].map((timeframe) => sentimentRow(timeframe, indicators)),
  });
});

/** Opens and closes the given explanations, one after another. */
async function expectExplained(
  some: readonly Explanation[],
  { width, height }: { width: number; height: number },
): Promise<void> {
  for (const { name, text, bands } of some) {
    await about(name).click();
    expect(await read()).toEqual([name, text, ...(bands === undefined ? [] : [bands])]);
    const { box, of, fits } = await note().evaluate((element, label) => {
      const opener = document.querySelector(`[aria-label="${label}"]`);
      const of = opener?.getBoundingClientRect() ?? new DOMRect();
      // A note leaves the row or tile of its button free.
      const row = opener?.closest('.tile, tr, li')?.getBoundingClientRect() ?? of;
      return {
        box: element.getBoundingClientRect(),
        of: new DOMRect(of.x, row.y, of.width, row.height),
        fits: element.scrollWidth <= element.clientWidth,
      };
    }, `About ${name}`);
    expect(box.left, name).toBeGreaterThanOrEqual(0);
    expect(box.top, name).toBeGreaterThanOrEqual(0);
    expect(box.right, name).toBeLessThanOrEqual(width);
    expect(box.bottom, name).toBeLessThanOrEqual(height);
    expect(Math.max(box.top - of.bottom, of.top - box.bottom), name).toBeCloseTo(6, 0);
    expect(box.left, name).toBeLessThan(of.right);
    expect(box.right, name).toBeGreaterThan(of.left);
    expect(fits, name).toBe(true);
    await page.keyboard.press('Escape');
  }
  expect(over.problems()).toEqual([]);
}

describe('in a wide window, an explanation', () => {
  sharedVisit(() => open(wide));

  it('shows the methodology for every metric, beside its button and in view', () =>
    expectExplained(explanations, wide.viewport));

  it('does not toggle the panel that contains it', async () => {
    await about('VIX').click();
    await read();
    expect(await page.getByRole('button', { name: TITLE }).getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('summary .about, button .about').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('opens by key and returns the focus to its button on Escape', async () => {
    for (const key of ['Enter', 'Space']) {
      await about('VIX').focus();
      await page.keyboard.press(key);
      expect((await read())[0]).toBe('VIX');
      const dialog = page.getByRole('dialog', { name: 'VIX', description: EXPLANATIONS.vix.text });
      await dialog.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await note().waitFor({ state: 'hidden' });
      expect(await isFocused(about('VIX'))).toBe(true);
    }
  });

  it('closes by its button, by a click elsewhere and when another opens', async () => {
    await about('RSI').click();
    await read();
    await about('RSI').click();
    await note().waitFor({ state: 'hidden' });

    await about('RSI').click();
    await page.mouse.click(4, 4);
    await note().waitFor({ state: 'hidden' });

    await about('RSI').click();
    await page.getByRole('dialog', { name: 'RSI' }).waitFor();
    await about('MACD').click();
    await page.getByRole('dialog', { name: 'MACD' }).waitFor();
    expect(await note().count()).toBe(1);
    await page.keyboard.press('Escape');
  });

  it('scrolls with the page and stays in a window that becomes narrower', async () => {
    await about('Market Indices').click();
    await read();
    const gap = async () => {
      const [box, of] = await Promise.all([note().boundingBox(), about('Market Indices').boundingBox()]);
      return Math.round((box?.y ?? 0) - (of?.y ?? 0));
    };
    const before = await gap();
    await page.evaluate(() => window.scrollBy(0, 60));
    expect(await gap()).toBe(before);
    await page.setViewportSize({ width: 360, height: 740 });
    const room = async () => {
      const box = await note().boundingBox();
      return { left: box?.x ?? -1, right: (box?.x ?? 0) + (box?.width ?? 0), width: box?.width };
    };
    // The explanation gets its position after its width, so wait for the position.
    await expect.poll(async () => (await room()).right).toBeLessThanOrEqual(344);
    const { left, width } = await room();
    expect([left >= 16, width]).toEqual([true, 320]);
    await page.keyboard.press('Escape');
    await page.setViewportSize(wide.viewport);
  });

  it.each(['dark', 'light'] as const)(
    'has a mark with a contrast of 3:1 on every background of the %s theme',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      const contrasts = await page.evaluate(() => {
        const probe = document.createElement('i');
        document.body.append(probe);
        const luminance = (colour: string) => {
          probe.style.color = colour;
          const [r = 0, g = 0, b = 0] = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map((part) => {
            const c = Number(part) / 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        };
        // The pointer is on one of the first buttons.
        const button = [...document.querySelectorAll('.about')].at(-1);
        const mark = luminance(button === undefined ? '' : getComputedStyle(button).color);
        return ['ground', 'card', 'raised'].map((name) => {
          const ground = luminance(`var(--${name})`);
          return Math.max(mark, ground) / Math.min(mark, ground);
        });
      });
      expect(contrasts).toHaveLength(3);
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(3);
      // The contrast of the mark is clearly below that of the text beside it.
      expect(Math.max(...contrasts)).toBeLessThan(4.5);
    },
  );

  it('is not printed', async () => {
    await page.emulateMedia({ media: 'print' });
    expect(await about('VIX').count()).toBe(0);
    expect(await page.locator('.about').count()).toBeGreaterThan(explanations.length);
    await page.emulateMedia({ media: null });
  });
});

describe('on a phone, an explanation', () => {
  sharedVisit(() => open(phone));

  it('is in view beside its button for the longest, the first and the last metric', () => {
    const longest = explanations.toSorted((one, other) => other.text.length - one.text.length);
    const some = [longest[0], longest[1], explanations[0], explanations.at(-1)].filter(
      (one) => one !== undefined,
    );
    return expectExplained(some, phone.viewport);
  });

  it('opens by a tap on 44 by 44 pixels without taking more room than its mark', async () => {
    const button = about('Price breadth');
    const box = await button.boundingBox();
    expect([box?.width, box?.height]).toEqual([44, 44]);
    await button.tap({ position: { x: 3, y: 22 } });
    expect((await read())[0]).toBe('Price breadth');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.getByRole('heading', { name: 'Fear & Greed Index' }).tap();
    await note().waitFor({ state: 'hidden' });
  });
});

it('in a browser without anchors, an explanation stays within a low window', async () => {
  await open({ viewport: { width: 360, height: 260 } });
  await page.evaluate(() => {
    for (const sheet of document.styleSheets) {
      const rule = [...sheet.cssRules].findIndex(
        (each) => each instanceof CSSSupportsRule && each.conditionText.includes('anchor-scope'),
      );
      if (rule >= 0) sheet.deleteRule(rule);
    }
  });
  await about('Volatility').click();
  await read();
  const box = await note().boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(16);
  expect(box?.height).toBeLessThanOrEqual(228);
});

describe('the texts of the explanations', () => {
  const isTexts = (url: string) => /\/assets\/explanations-[^/]+\.js/.test(url);

  it('load once, when the pointer first reaches a button', async () => {
    const asked: string[] = [];
    await open({
      before: async (opened) => {
        opened.on('request', (request) => isTexts(request.url()) && asked.push(request.url()));
      },
    });
    expect(asked).toEqual([]);
    await about('VIX').hover();
    await expect.poll(() => asked.length).toBe(1);
    await about('TRIN').hover();
    await about('TRIN').click();
    await read();
    expect(asked).toHaveLength(1);
  });

  it('show a sentence in place of an explanation that cannot be loaded', async () => {
    await open({
      before: async (opened) => {
        allowComplaints(opened, /Failed to load resource: .*\/assets\/explanations-/);
        await opened.route(
          (url) => isTexts(url.href),
          (route) => route.abort(),
        );
      },
    });
    await about('VIX').click();
    await note().getByText(FAILED).waitFor();
    expect(await read()).toEqual(['VIX', FAILED]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
    await about('VIX').click();
    await note().getByText(EXPLANATIONS.vix.text).waitFor();
  });
});
