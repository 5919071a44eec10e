import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { EMBED_SIZE } from '#views/page-texts.ts';
import { embedHtml } from '#web/documents/embed-page.tsx';
import { findingsOf } from '../support/accessibility.ts';
import { allowComplaints } from '../support/complaints.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { pagesForTests } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();
const THEMES = ['light', 'dark'] as const;

/** Another site, whose one page has the body in its query. */
const site = shared(() =>
  listenOnLoopback((request, response) => {
    const body = new URL(request.url ?? '/', 'http://site').searchParams.get('body') ?? '';
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Elsewhere</title><body>${body}</body></html>`);
  }),
);

/** Opens a page of the other site. */
async function openSite(body: string, options: Parameters<typeof fresh>[0] = {}): Promise<Page> {
  const page = await fresh({ ...options, own: true });
  allowComplaints(page, /frame|Refused|status of 40[14]/i);
  await page.goto(`${site.url.replace('127.0.0.1', 'localhost')}/?body=${encodeURIComponent(body)}`);
  return page;
}

describe('the badge', () => {
  it.each(THEMES)('is 20 px high in the %s theme, with each text inside its box', async (colorScheme) => {
    const page = await fresh({ colorScheme });
    await page.goto(`${url}/badge.svg`);
    const { height, boxes, texts } = await page.evaluate(() => {
      const boxOf = (element: SVGGraphicsElement) => {
        const { x, y, width, height } = element.getBBox();
        return { left: x, right: x + width, top: y, bottom: y + height };
      };
      const all = (selector: string) =>
        [...document.querySelectorAll<SVGGraphicsElement>(selector)].map(boxOf);
      return {
        height: document.documentElement.getBoundingClientRect().height,
        boxes: all('g > rect'),
        texts: all('text'),
      };
    });
    expect(height).toBe(20);
    expect(texts).toHaveLength(2);
    for (const [at, text] of texts.entries()) {
      expect(text.left).toBeGreaterThanOrEqual((boxes[at]?.left ?? Number.NaN) + 3);
      expect(text.right).toBeLessThanOrEqual((boxes[at]?.right ?? Number.NaN) - 3);
      expect(text.top).toBeGreaterThanOrEqual(0);
      expect(text.bottom).toBeLessThanOrEqual(20);
    }
  });

  it('is a picture with a text on another site', async () => {
    const page = await openSite(`<img src="${url}/badge.svg" alt="">`);
    expect(
      await page.locator('img').evaluate((image: HTMLImageElement) => [image.complete, image.naturalHeight]),
    ).toEqual([true, 20]);
    const svg = await (await fetch(`${url}/badge.svg`)).text();
    expect(svg).toMatch(/role="img" aria-label="Barometer: demo (BUY|HOLD|SELL) \d+\.\d, \d+ [A-Z][a-z]{2}"/);
  });
});

describe('the card', () => {
  it('shows the signal in a frame of another site, at the size of /oembed, without scrolling', async () => {
    const { html } = await (await fetch(`${url}/oembed?url=${url}/`)).json();
    const page = await openSite(html);
    const frame = page.frameLocator('iframe');
    await expect.poll(() => frame.locator('strong').textContent()).toMatch(/^(BUY|HOLD|SELL) \d+\.\d$/);
    expect(await frame.locator('.demo').textContent()).toBe('Demo data: invented numbers');
    const [, card] = page.frames();
    expect(
      await card?.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return scrollWidth <= innerWidth && scrollHeight <= innerHeight;
      }),
    ).toBe(true);
  });

  it.each(THEMES)('has no accessibility violation in the %s theme at 280 px', async (colorScheme) => {
    const page = await fresh({ colorScheme, viewport: { width: 280, height: 200 } });
    await page.goto(`${url}/embed`);
    expect(await findingsOf(page)).toEqual({ violations: [], undecided: [] });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(280);
  });

  it('fits its frame with the longest texts', async () => {
    const card = {
      signalText: 'Stale: HOLD 41.6',
      tone: 'HOLD' as const,
      unitText: 'of 100',
      fearGreedText: 'Fear & Greed 88.8, Extreme Greed. As of Wed 25 Nov 2026, 14:05 New York time',
      ageText: 'As of Wed 25 Nov 2026, 14:05 New York time, 10 sessions behind',
      demoText: 'Demo data: invented numbers',
      scale: { score: 88.8, low: 41, high: 100 },
    };
    const page = await fresh({ viewport: EMBED_SIZE, own: true });
    await page.setContent(embedHtml(card, { productName: 'Market Barometer of Example', home: url }));
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThanOrEqual(EMBED_SIZE.height);
  });
});
