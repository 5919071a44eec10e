import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { changed, MIDDLING } from '../support/market-tables.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';

/** A time longer than the server caches a picture or a page (ms). */
const LONG = 5 * 60_000;
/** Start and width of the picture's scale, and a row of pixels above its bar that only the mark crosses. */
const SCALE = { left: 56, width: 660, line: 449 } as const;
/** A row of pixels through the letters of the verdict, above those of the score. */
const VERDICT = { left: 56, width: 330, line: 190 } as const;

let time = Date.parse('2026-11-13T21:30:00Z');
const over = shared(pageOverRows);
let page: Page;

beforeAll(async () => {
  await over.put(MIDDLING);
});

async function passTime(): Promise<void> {
  time += LONG;
  await over.setClock(new Date(time).toISOString());
}

const ask = (path: string, init?: RequestInit) => fetch(`${over.url}${path}`, init);

async function picture(): Promise<{ answer: Response; bytes: Buffer }> {
  const answer = await ask('/og.png');
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Pixels from one row of the share image `/og.png`, as the browser decodes them. */
function pixels({ left, width, line }: typeof SCALE | typeof VERDICT): Promise<number[][]> {
  return page.evaluate(
    async ([x, y, length]) => {
      const image = new Image();
      // A new address for each request bypasses the browser's cache.
      image.src = `./og.png?${performance.now()}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const { data } = context?.getImageData(x, y, length, 1) ?? { data: [] };
      return Array.from({ length }, (_, at) => [...data.slice(at * 4, at * 4 + 3)]);
    },
    [left, line, width] as const,
  );
}

const isBright = (pixel: number[]) => pixel.every((part) => part > 200);

/** The score at the position of the mark in the picture. */
async function markedScore(): Promise<number> {
  const bright = (await pixels(SCALE)).flatMap((pixel, at) => (isBright(pixel) ? [at] : []));
  expect(bright.length).toBeGreaterThan(2);
  const middle = ((bright[0] ?? 0) + (bright.at(-1) ?? 0) + 1) / 2;
  return (middle / SCALE.width) * 100;
}

/** The colour of the verdict's letters: the one furthest from the dark background. */
async function verdictColour(): Promise<string> {
  const [brightest = []] = (await pixels(VERDICT)).sort(
    (a, b) => b.reduce((sum, part) => sum + part, 0) - a.reduce((sum, part) => sum + part, 0),
  );
  return `rgb(${brightest.join(', ')})`;
}

/** The values that the page itself shows, in its dark theme. */
async function shown() {
  page = await over.reopen();
  const verdict = page.locator('.verdict');
  return {
    verdict: await verdict.innerText(),
    score: Number.parseFloat(await page.locator('.verdict-score').innerText()),
    colour: await verdict.evaluate((element) => {
      const probe = document.createElement('i');
      probe.style.color = 'var(--tone)';
      element.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    }),
  };
}

describe('the preview picture', () => {
  it('is a PNG of the size that other sites expect', async () => {
    const { answer, bytes } = await picture();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(bytes.length).toBeLessThan(100_000);
    const again = await ask('/og.png', { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  it('shows the verdict, score and colour of the page', async () => {
    const seen: string[] = [];
    for (const strength of [0, 50, 100]) {
      const metrics = changed('market_metrics', { market_exposure: strength, overall_strength: strength });
      const index = MIDDLING.fear_greed_index.map((row) => ({ ...row, index_value: strength }));
      await over.put({ ...MIDDLING, ...metrics, fear_greed_index: index });
      await passTime();
      const { verdict, score, colour } = await shown();
      expect(Math.abs((await markedScore()) - score)).toBeLessThan(0.3);
      expect(await verdictColour()).toBe(colour);
      seen.push(verdict);
    }
    expect(seen).toEqual(['SELL', 'HOLD', 'BUY']);
  });
});

describe('the head of a server without PUBLIC_URL', () => {
  it('links only existing files, each with the right type', async () => {
    page = await over.reopen();
    const links = await page
      .locator('head link[rel~="icon"], head link[rel="apple-touch-icon"], head link[rel="manifest"]')
      .evaluateAll((elements) => elements.map((element) => (element as HTMLLinkElement).href));
    const manifest = await (await ask('/manifest.webmanifest')).json();
    const icons = manifest.icons.map(({ src }: { src: string }) => new URL(src, `${over.url}/`).href);
    const types: string[] = [];
    for (const link of [...links, ...icons]) {
      const answer = await fetch(link);
      expect([link, answer.status]).toEqual([link, 200]);
      types.push(String(answer.headers.get('content-type')));
      const bytes = Buffer.from(await answer.arrayBuffer());
      const size = /touch-icon/.test(link) ? 180 : /icon-(?:maskable-)?(\d+)\.png/.exec(link)?.[1];
      if (size !== undefined) expect([link, bytes.readUInt32BE(16)]).toEqual([link, Number(size)]);
    }
    expect(types).toEqual([
      'image/x-icon',
      'image/svg+xml; charset=utf-8',
      'image/png',
      'application/manifest+json; charset=utf-8',
      'image/svg+xml; charset=utf-8',
      'image/png',
      'image/png',
      'image/png',
    ]);
    expect((await (await ask('/robots.txt')).text()).split('\n')).toContain('Allow: /');
  });
});
