import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SYMBOLS } from '#web/panels/widgets/symbols.ts';
import { PROVIDER_ORIGIN, type ProviderWay, standInForProvider } from '../support/charting-provider.ts';
import { allowComplaints } from '../support/complaints.ts';
import { faultsOf, recordShifts, shiftsOnceSettled } from '../support/layout.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { lookAway } from '../support/opening.ts';
import { type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';

const CARDS = ['Price Chart', 'Top Gainers and Losers', 'S&P 500 Heatmap'] as const;
const PATIENCE = 20_000;

const spx = (price: number, created_at: string) => ({
  symbol: 'SPX',
  name: 'S&P 500',
  price,
  source: 'live',
  created_at,
});

/** A month of closes. One session has a second row from its trading hours. The newest row is from the closing bell. */
const CLOSES = [
  spx(6000, '2026-09-01T20:00:00Z'),
  spx(6612.3, '2026-10-14T20:00:00Z'),
  spx(6590.2, '2026-10-30T20:00:00Z'),
  spx(6650, '2026-11-12T15:00:00Z'),
  spx(6701.45, '2026-11-12T21:00:00Z'),
];

const STOCKS = ['Energy', 'Energy', 'Energy', 'Utilities'].map((sector, index) => ({
  ...{ symbol: `ST${index}`, name: `Stock ${index}`, sector, change_percent: index - 1, weight: 10 - index },
  ...{ volume: 1.5, source: 'live', created_at: '2026-11-13T21:00:00Z' },
}));

const ROWS = {
  ...MIDDLING,
  market_indices: [...MIDDLING.market_indices, ...CLOSES],
  market_stocks: STOCKS,
};

const over = shared(pageOverRows);
let page: Page;
let way: ProviderWay = 'answers';

const card = (name: string) => page.getByRole('region', { name, exact: true });
const frameOf = (name: string) => card(name).locator('iframe');
const drawingOf = (name: string) => card(name).locator('.own-drawing');
const ownChart = () => page.getByRole('region', { name: /^S&P 500 closes/ });
const walk = () => page.getByRole('slider', { name: 'S&P 500 on a session of the last month' });

/** Opens the dashboard with a clock that the test moves. */
async function open(provider: ProviderWay, options: Parameters<PageOverRows['open']>[0] = {}): Promise<void> {
  way = provider;
  page = await over.open({
    clock: 'movable',
    before: async (opened) => {
      await recordShifts(opened);
      await standInForProvider(opened, () => way);
    },
    ...options,
  });
}

/** Waits until the page and the closes are stored in the browser. */
async function untilKept(): Promise<void> {
  await lookAway(page);
  await page.waitForFunction(
    () =>
      navigator.serviceWorker.controller !== null &&
      Object.keys(localStorage).some((key) => key.endsWith('closes')),
  );
}

/** Scrolls to each widget, so that its frame loads. */
async function showWidgets(): Promise<void> {
  for (const name of CARDS) {
    await card(name).scrollIntoViewIfNeeded();
    await frameOf(name).waitFor({ state: 'attached' });
  }
}

/** The settings in the address of a frame. */
async function settingsOf(name: string): Promise<Record<string, unknown>> {
  const { hash } = new URL((await frameOf(name).getAttribute('src')) ?? '');
  return JSON.parse(decodeURIComponent(hash.slice(1)));
}

/** Posts a widget's load message from another sender. */
const pretend = () => page.evaluate(() => window.postMessage({ name: 'tv-widget-load' }, '*'));

const rowsIn = (part: Locator) => part.getByRole('row').allInnerTexts();

const heightOf = async (name: string) => (await card(name).boundingBox())?.height;

beforeAll(async () => {
  await over.put(ROWS);
});

describe('a widget that responds', () => {
  beforeAll(async () => {
    await open('answers');
    await showWidgets();
  });

  it('is a frame with the specified settings, without a script here [S2.11] [S2.14] [S2.32] [S2.34] [R9] [R21]', async () => {
    // `src/web/panels/widgets/embed.test.ts` has the other settings.
    expect(await settingsOf('Price Chart')).toMatchObject({
      ...{ dateRange: '1M', colorTheme: 'dark', plotLineColorGrowing: '#26a69a' },
      ...{ belowLineFillColorFalling: '#ef53501f', belowLineFillColorGrowingBottom: '#26a69a00' },
      tabs: [{ symbols: DEFAULT_SYMBOLS }],
    });
    expect(await settingsOf('S&P 500 Heatmap')).toMatchObject({ dataSource: 'SPX500', blockColor: 'change' });
    const ids = ['market-overview', 'hotlists', 'stock-heatmap'];
    for (const [index, name] of CARDS.entries()) {
      const frame = frameOf(name);
      const src = (await frame.getAttribute('src')) ?? '';
      expect(src).toMatch(`${PROVIDER_ORIGIN}/embed-widget/${ids[index]}/?locale=en#`);
      expect(await frame.getAttribute('loading')).toBe('lazy');
      expect(await frame.getAttribute('sandbox')).toBe(
        'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox',
      );
      expect(await frame.getAttribute('referrerpolicy')).toBe('strict-origin-when-cross-origin');
      expect(await frame.evaluate((element) => getComputedStyle(element).colorScheme)).toBe('light');
    }
    const scripts = await page
      .locator('script[src]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('src') ?? ''));
    expect(scripts.filter((src) => !src.startsWith('./assets/'))).toEqual([]);
    expect(over.problems()).toEqual([]);
  });

  it('has the specified height and a link of 32 px to the provider [S2.11] [S2.33] [S2.34] [S9.21]', async () => {
    const heights = { 'Price Chart': 500, 'Top Gainers and Losers': 550, 'S&P 500 Heatmap': 600 };
    for (const [name, height] of Object.entries(heights)) {
      const place = await card(name).locator('.widget-place').boundingBox();
      const attribution = await card(name).locator('.widget-attribution').boundingBox();
      expect((place?.height ?? 0) + (attribution?.height ?? 0)).toBe(height);
      expect(attribution?.height).toBe(32);
      const link = card(name).locator('.widget-attribution a');
      expect(await link.getAttribute('rel')).toBe('noopener nofollow');
      expect(await link.getAttribute('href')).toMatch('https://www.tradingview.com/');
    }
    const bottoms = await Promise.all(
      CARDS.slice(1).map(async (name) => {
        const box = await card(name).boundingBox();
        return (box?.y ?? 0) + (box?.height ?? 0);
      }),
    );
    expect(bottoms[0]).toBe(bottoms[1]);
  });

  it('states once for all widgets which data the provider receives', async () => {
    const notes = page.getByText(/^Frames from TradingView .* sees your IP address/);
    expect(await notes.count()).toBe(1);
    expect(await notes.innerText()).toMatch(/your browser and this site’s address and may set cookies/);
  });

  it('replaces our own drawing', async () => {
    for (const name of CARDS) {
      await drawingOf(name).waitFor({ state: 'hidden' });
      expect(await frameOf(name).isVisible()).toBe(true);
    }
  });

  it('has the theme of the page and is recreated when that changes [R20]', async () => {
    const before = await frameOf('Price Chart').elementHandle();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForFunction((frame) => frame?.isConnected === false, before);
    for (const name of CARDS) {
      expect(await settingsOf(name)).toMatchObject({ colorTheme: 'light' });
      await frameOf(name).waitFor();
    }
  });

  it('stays visible when the network goes away', async () => {
    // Without a network, the page cannot load files and data for later visits.
    allowComplaints(page, /net::ERR_INTERNET_DISCONNECTED .*\/(assets\/reads-|rest\/v1\/)/);
    await page.context().setOffline(true);
    await page.clock.fastForward(PATIENCE);
    for (const name of CARDS) {
      expect(await frameOf(name).isVisible()).toBe(true);
    }
    await page.context().setOffline(false);
  });
});

describe('a widget that reports its load late', () => {
  beforeAll(async () => {
    await open('late');
    await showWidgets();
  });

  it('stays behind our drawing, whatever other senders report', async () => {
    for (const name of CARDS) await drawingOf(name).waitFor();
    await pretend();
    // Adds a frame of the provider that does not belong to a widget of the page.
    await page.evaluate(
      (origin) =>
        new Promise((resolve) => {
          const frame = document.createElement('iframe');
          frame.src = `${origin}/elsewhere`;
          frame.addEventListener('load', resolve);
          document.body.append(frame);
        }),
      PROVIDER_ORIGIN,
    );
    const [stranger] = page.frames().filter((frame) => frame.url().endsWith('/elsewhere'));
    await stranger?.evaluate(() => parent.postMessage({ name: 'tv-widget-load' }, '*'));
    await page.clock.runFor(60_000);
    for (const name of CARDS) {
      expect(await drawingOf(name).isVisible()).toBe(true);
      expect(await frameOf(name).isVisible()).toBe(false);
    }
  });

  it('then takes its place and the focus without a layout shift', async () => {
    await walk().focus();
    const before = await heightOf('Price Chart');
    const frame = page
      .frames()
      .find((each) => each.url().startsWith(`${PROVIDER_ORIGIN}/embed-widget/market-overview/`));
    await frame?.evaluate(() => parent.postMessage({ name: 'tv-widget-load' }, '*'));
    await ownChart().waitFor({ state: 'hidden' });
    expect(await heightOf('Price Chart')).toBe(before);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('IFRAME');
    const place = await card('Price Chart').locator('.widget-place').boundingBox();
    expect(await frameOf('Price Chart').boundingBox()).toEqual(place);
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });
});

describe('a widget that the network blocks', () => {
  const asked: string[] = [];

  beforeAll(async () => {
    await open('blocked', {
      viewport: { width: 1280, height: 300 },
      before: async (opened) => {
        opened.on('request', (request) => asked.push(request.url()));
        await recordShifts(opened);
        await standInForProvider(opened, () => way);
      },
    });
  });

  it('is not requested before it is near the visible part', async () => {
    await page.waitForLoadState('networkidle');
    expect(asked.filter((url) => url.startsWith(PROVIDER_ORIGIN))).toEqual([]);
    const before = await Promise.all(CARDS.map(heightOf));
    await showWidgets();
    for (const name of CARDS) await drawingOf(name).waitFor();
    expect(await Promise.all(CARDS.map(heightOf))).toEqual(before);
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });

  it('leaves our drawing in its place', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await showWidgets();
    for (const name of CARDS) expect(await frameOf(name).isVisible()).toBe(false);
    await ownChart().getByText('S&P 500 closes, 14 Oct to 13 Nov 2026').waitFor();
    expect(await ownChart().innerText()).toContain('+121.81 (+1.84%)');
    expect(await ownChart().innerText()).toContain('as of Fri 13 Nov 2026, close');
    expect(over.problems()).toEqual([]);
  });

  it('lists gainers and losers, and draws a heatmap for keys, pointer and a table', async () => {
    const movers = await rowsIn(card('Top Gainers and Losers'));
    expect(movers.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
      'Gainers Change Volume',
      'ST3 Stock 3 +2.00% 1.50M',
      'ST2 Stock 2 +1.00% 1.50M',
      'Losers Change Volume',
      'ST0 Stock 0 −1.00% 1.50M',
    ]);
    const map = card('S&P 500 Heatmap').getByRole('slider', { name: 'Stock of the heatmap' });
    const first = 'Stock 0 (ST0): −1.00%, Energy, volume 1.50M';
    expect(await map.getAttribute('aria-valuetext')).toBe(first);
    await map.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await map.getAttribute('aria-valuetext')).toBe('Stock 1 (ST1): 0.00%, Energy, volume 1.50M');
    await map.hover({ position: { x: 12, y: 40 } });
    await expect.poll(() => map.getAttribute('aria-valuetext')).toBe(first);
    await card('S&P 500 Heatmap').getByText('Values as a table').click();
    await expect
      .poll(() => rowsIn(card('S&P 500 Heatmap')))
      .toContain(['ST0 Stock 0', '−1.00%', '1.50M', 'Energy'].join('\t'));
    expect(over.problems()).toEqual([]);
  });

  describe('our own chart in place of a blocked widget', () => {
    it('can be read by arrow keys, pointer and table', async () => {
      const last = 'Fri 13 Nov 2026: 6,734.11, close, +32.66 (+0.49%) since Thu 12 Nov';
      await walk().focus();
      await page.keyboard.press('End');
      expect(await walk().getAttribute('aria-valuetext')).toBe(last);
      await page.keyboard.press('ArrowLeft');
      expect(await walk().getAttribute('aria-valuetext')).toBe(
        'Thu 12 Nov 2026: 6,701.45, close, +111.25 (+1.69%) since Fri 30 Oct',
      );
      await page.keyboard.press('Home');
      expect(await walk().getAttribute('aria-valuetext')).toBe('Wed 14 Oct 2026: 6,612.30, close');
      expect(await walk().locator('.chart-tip > span').first().textContent()).toBe('Wed 14 Oct 2026');
      const box = await walk().boundingBox();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 16, (box?.y ?? 0) + 40);
      await expect.poll(() => walk().getAttribute('aria-valuetext')).toBe(last);
      await ownChart().getByText('Values as a table').click();
      const rows = ['Date (New York)\tS&P 500\tAs of', 'Fri 13 Nov 2026\t6,734.11\tclose'];
      await expect.poll(async () => (await rowsIn(ownChart())).slice(0, 2)).toEqual(rows);
    });

    it('is printed', async () => {
      await page.emulateMedia({ media: 'print' });
      const drawing = await ownChart().getByRole('figure').locator('svg').first().boundingBox();
      expect(drawing?.height).toBeGreaterThan(100);
      await page.emulateMedia({ media: null });
    });
  });
});

describe('the widgets without a network', () => {
  it('our drawing stands until the network returns', async () => {
    await open('hanging', { serviceWorkers: 'allow', own: true });
    await untilKept();
    await showWidgets();
    // The own drawings read their rows while there is no network.
    allowComplaints(page, /net::ERR_INTERNET_DISCONNECTED .*\/rest\/v1\//);
    await page.context().setOffline(true);
    await ownChart().waitFor();
    way = 'answers';
    await page.context().setOffline(false);
    for (const name of CARDS) await frameOf(name).waitFor();
  });
});

describe('a page with own widgets only', () => {
  it('draws all three, names no other site and asks none', async () => {
    const { url } = await over.serve({ widgets: 'own' });
    const asked: string[] = [];
    await open('answers', {
      at: url,
      before: async (opened) => {
        opened.on('request', (request) => asked.push(request.url()));
      },
    });
    for (const name of CARDS) {
      await card(name).scrollIntoViewIfNeeded();
      await drawingOf(name).waitFor();
    }
    expect(asked.filter((each) => !each.startsWith(url) && !each.startsWith('data:'))).toEqual([]);
    expect(await page.locator('iframe').count()).toBe(0);
    const response = await fetch(url);
    expect(response.headers.get('content-security-policy')).toContain("frame-src 'none'");
    expect(`${response.headers.get('content-security-policy')}${await response.text()}`).not.toMatch(
      /tradingview/i,
    );
    expect(over.problems()).toEqual([]);
  });
});

describe('own drawings of any data', () => {
  const stocks = (count: number, more: (index: number) => object = () => ({})) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ symbol: `ST${index}`, name: `Stock ${index}`, sector: `Sector ${index % 11}` },
      ...{ change_percent: (index % 9) - 4, weight: 1 + (index % 97), volume: 1.5 },
      ...{ source: 'live', created_at: '2026-11-13T21:00:00Z' },
      ...more(index),
    }));
  const nameOf60 = (index: number) => `Stock ${index} ${'of a Holding Incorporated '.repeat(3)}`.slice(0, 60);
  const NO_VALUES = { change_percent: null, weight: null, volume: null };
  /** Closes of 25 years, one per day, the newest first. */
  const DAYS = Array.from({ length: 25 * 365 }, (_, ago) =>
    new Date(Date.UTC(2026, 10, 13, 21) - ago * 86_400_000).toISOString(),
  );
  const CASES: readonly [string, object][] = [
    ['usual data', {}],
    ['no stock', { market_stocks: [] }],
    ['some stocks without values', { market_stocks: stocks(20, (index) => (index % 2 ? NO_VALUES : {})) }],
    [
      'a single stock and a single day of history',
      { market_indices: MIDDLING.market_indices, market_stocks: stocks(1) },
    ],
    [
      '25 years of history',
      {
        market_indices: [
          ...MIDDLING.market_indices,
          ...DAYS.slice(1).map((day, at) => spx(6000 + (at % 700), day)),
        ],
      },
    ],
    ['3,000 stocks', { market_stocks: stocks(3_000) }],
    [
      'names of 60 characters',
      { market_stocks: stocks(110, (index) => ({ name: nameOf60(index), sector: nameOf60(index % 11) })) },
    ],
  ];
  const WIDTHS = [1280, 390] as const;
  /** The heights of the cards over usual data, by width. */
  const usual = new Map<number, unknown>();
  let at: string;

  beforeAll(async () => {
    at = (await over.serve({ widgets: 'own' })).url;
    await open('answers', { at });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      usual.set(width, await Promise.all(CARDS.map(heightOf)));
    }
  });

  afterAll(() => over.put(ROWS));

  it.each(CASES)('clip, cover and move nothing: %s', async (_, rows) => {
    await over.put({ ...ROWS, ...rows });
    await open('answers', { at });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of CARDS) {
        await card(name).scrollIntoViewIfNeeded();
        const own = card(name).locator('.own');
        await own.locator('.own-drawing, .own-words').first().waitFor();
        const overflow = () => own.evaluate((each) => each.scrollHeight - each.clientHeight);
        await expect.poll(overflow).toBeLessThanOrEqual(1);
      }
      expect(await faultsOf(page), `at ${width}`).toEqual([]);
      expect(await Promise.all(CARDS.map(heightOf)), `at ${width}`).toEqual(usual.get(width));
      // A narrower window moves everything.
      if (width === 1280) expect(await shiftsOnceSettled(page)).toEqual([]);
    }
    expect(over.problems()).toEqual([]);
  });
});

describe('the widgets beside demonstration data', () => {
  const SENTENCE = 'This chart shows the real market. The other numbers on this page are invented.';
  const demoNote = (name: string) => card(name).getByText(SENTENCE);

  beforeAll(async () => {
    await over.put({
      ...ROWS,
      market_metrics: MIDDLING.market_metrics.map((row) => ({ ...row, source: 'simulated' })),
    });
  });

  afterAll(() => over.put(ROWS));

  it('a frame that loads is marked as the real market, and our drawing is not', async () => {
    await open('late');
    const before = await Promise.all(CARDS.map(heightOf));
    await showWidgets();
    for (const name of CARDS) await card(name).locator('.own-drawing').waitFor();
    expect(await demoNote('Price Chart').count()).toBe(0);
    way = 'answers';
    await page.emulateMedia({ colorScheme: 'light' });
    for (const name of CARDS) await demoNote(name).waitFor();
    expect(await Promise.all(CARDS.map(heightOf))).toEqual(before);
    await page.emulateMedia({ media: 'print' });
    for (const name of CARDS) expect(await demoNote(name).isVisible()).toBe(false);
    expect(over.problems()).toEqual([]);
  });
});
