import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SYMBOLS } from '#web/panels/widgets/symbols.ts';
import { buildPage } from '../support/build-page.ts';
import { PROVIDER_ORIGIN, type ProviderWay, standInForProvider } from '../support/charting-provider.ts';
import { allowComplaints } from '../support/complaints.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { lookAway } from '../support/opening.ts';
import {
  FRIDAY_EVENING,
  type PageOverRows,
  pageOverRows,
  type WrittenRow,
} from '../support/page-over-rows.ts';

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

const ROWS = { ...MIDDLING, market_indices: [...MIDDLING.market_indices, ...CLOSES] };

let over: PageOverRows;
let page: Page;
let way: ProviderWay = 'answers';

const card = (name: string) => page.getByRole('region', { name, exact: true });
const frameOf = (name: string) => card(name).locator('iframe');
const noteOf = (name: string) => card(name).getByRole('status');
const ownChart = () => page.getByRole('region', { name: /^S&P 500 closes/ });
const walk = () => page.getByRole('slider', { name: 'S&P 500 on a session of the last month' });

/** Opens the dashboard with a clock that the test moves. */
async function open(provider: ProviderWay, options: Parameters<PageOverRows['open']>[0] = {}): Promise<void> {
  way = provider;
  page = await over.open({
    clock: 'movable',
    before: (opened) => standInForProvider(opened, () => way),
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

/** Advances the clock past the time limit of the price chart, which starts a moment after its frame appears. */
async function losePatience(): Promise<void> {
  const isOver = async () => {
    // Advance the clock only until the note appears, or hours would pass while the closes are read.
    if ((await noteOf('Price Chart').count()) === 0) await page.clock.fastForward(PATIENCE);
    return ownChart().isVisible();
  };
  await expect.poll(isOver).toBe(true);
}

/** Expects that our chart and the page fit a phone. */
async function expectToFitPhone(): Promise<void> {
  await page.setViewportSize({ width: 390, height: 900 });
  await card('Price Chart').scrollIntoViewIfNeeded();
  await walk().waitFor();
  const overflow = () => ownChart().evaluate((own) => own.scrollHeight - own.clientHeight);
  // Lines of text need not end on a whole pixel, and the chart is redrawn a moment after its position changes.
  await expect.poll(overflow).toBeLessThanOrEqual(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await page.setViewportSize({ width: 1280, height: 900 });
}

const heightOf = async (name: string) => (await card(name).boundingBox())?.height;

const shift = (opened: Page) =>
  opened.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      }),
  );

beforeAll(async () => {
  over = await pageOverRows();
  await over.put(ROWS);
});

afterAll(async () => {
  await over?.close();
});

describe('a widget that responds', () => {
  beforeAll(async () => {
    await open('answers');
    await showWidgets();
  });

  it('is a frame with the specified settings, without a script here [S2.11] [S2.14] [S2.32] [S2.34] [R9] [R21]', async () => {
    const common = { locale: 'en', colorTheme: 'dark', width: '100%', height: '100%' };
    const lines = {
      isTransparent: true,
      plotLineColorGrowing: '#26a69a',
      plotLineColorFalling: '#ef5350',
      belowLineFillColorGrowing: '#26a69a1f',
      belowLineFillColorFalling: '#ef53501f',
      belowLineFillColorGrowingBottom: '#26a69a00',
    };
    expect(await settingsOf('Price Chart')).toMatchObject({
      ...common,
      ...lines,
      dateRange: '1M',
      tabs: [{ symbols: DEFAULT_SYMBOLS }],
    });
    expect(await settingsOf('Top Gainers and Losers')).toMatchObject({ ...common, ...lines, exchange: 'US' });
    expect(await settingsOf('S&P 500 Heatmap')).toMatchObject({
      ...common,
      dataSource: 'SPX500',
      grouping: 'sector',
      blockSize: 'market_cap_basic',
      blockColor: 'change',
    });
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
    const notes = page.getByText(/frames from TradingView, which sees your IP address/);
    expect(await notes.count()).toBe(1);
    expect(await notes.innerText()).toMatch(/your browser and this site’s address and may set cookies/);
  });

  it('never shows a note', async () => {
    await page.clock.fastForward(PATIENCE + 1000);
    for (const name of CARDS) {
      expect(await frameOf(name).isVisible()).toBe(true);
      expect(await noteOf(name).count()).toBe(0);
      await card(name).locator('.widget-ghost').waitFor({ state: 'detached' });
    }
    expect(await ownChart().count()).toBe(0);
  });

  it('has the theme of the page and is recreated when that changes [R20]', async () => {
    const before = await frameOf('Price Chart').elementHandle();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForFunction((frame) => frame?.isConnected === false, before);
    for (const name of CARDS) {
      expect(await settingsOf(name)).toMatchObject({ colorTheme: 'light' });
      await card(name).locator('.widget-ghost').waitFor({ state: 'detached' });
      expect(await frameOf(name).isVisible()).toBe(true);
    }
  });

  it('stays visible when the network goes away', async () => {
    for (const name of CARDS) await card(name).locator('.widget-ghost').waitFor({ state: 'detached' });
    // Without a network, the page cannot load files for later visits.
    allowComplaints(page, /net::ERR_INTERNET_DISCONNECTED .*\/assets\/reads-/);
    await page.context().setOffline(true);
    await page.clock.fastForward(PATIENCE);
    for (const name of CARDS) {
      expect(await frameOf(name).isVisible()).toBe(true);
      expect(await noteOf(name).count()).toBe(0);
    }
    await page.context().setOffline(false);
  });
});

describe('a widget that never reports its load', () => {
  beforeAll(async () => {
    await open('late');
    await showWidgets();
  });

  it('is shown as soon as its frame loads, and gets a note after 20 s', async () => {
    for (const name of CARDS) {
      await card(name).locator('.widget-ghost').waitFor({ state: 'detached' });
      expect(await frameOf(name).isVisible()).toBe(true);
    }
    // The clock runs, so the time limit started between the opening of the page and this moment.
    const begun = await page.evaluate(() => Date.now());
    await page.clock.pauseAt(Date.parse(FRIDAY_EVENING) + PATIENCE - 1);
    for (const name of CARDS) expect(await noteOf(name).count()).toBe(0);
    await page.clock.pauseAt(begun + PATIENCE);
    await page.clock.resume();
    for (const name of CARDS) {
      await noteOf(name).getByText('This chart has not responded yet.').waitFor();
      expect(await frameOf(name).isVisible()).toBe(true);
      const [frame, note] = await Promise.all([
        frameOf(name).boundingBox(),
        card(name).locator('.widget-note').boundingBox(),
      ]);
      expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0);
      await card(name).frameLocator('iframe').getByText('Widget').waitFor();
    }
    await ownChart().waitFor();
    const [frame, chart] = await Promise.all([
      frameOf('Price Chart').boundingBox(),
      ownChart().boundingBox(),
    ]);
    expect((chart?.y ?? 0) + (chart?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0);
    expect(over.problems()).toEqual([]);
  });

  it('leaves room for our chart beside it on a phone', async () => {
    await losePatience();
    await expectToFitPhone();
  });

  it('ignores load messages of other senders', async () => {
    await losePatience();
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
    await page.clock.runFor(1000);
    for (const name of CARDS) expect(await noteOf(name).count()).toBe(1);
  });

  it('replaces our chart when it responds late', async () => {
    await losePatience();
    await card('Price Chart').frameLocator('iframe').getByRole('button', { name: 'Speak' }).click();
    await ownChart().waitFor({ state: 'detached' });
    expect(await noteOf('Price Chart').count()).toBe(0);
    const [frame, place] = await Promise.all([
      frameOf('Price Chart').boundingBox(),
      card('Price Chart').locator('.widget-place').boundingBox(),
    ]);
    expect(frame).toEqual(place);
  });
});

describe('a widget whose network never responds', () => {
  it('gets a note', async () => {
    await open('hanging');
    await showWidgets();
    expect(await card('Price Chart').locator('.widget-ghost').isVisible()).toBe(true);
    await page.clock.fastForward(PATIENCE);
    await noteOf('Price Chart').getByText('This chart has not responded yet.').waitFor();
    expect(await frameOf('Price Chart').isVisible()).toBe(true);
  });
});

describe('the request that checks if a frame loaded', () => {
  it('times out after 30 seconds without a response', async () => {
    const answered = new Set<string>();
    page = await over.open({
      clock: 'movable',
      before: (opened) =>
        opened.route(`${PROVIDER_ORIGIN}/**`, async (route) => {
          const { pathname } = new URL(route.request().url());
          // Respond to the first request of a path, which the frame sends. Leave the second one, which is the check of
          // the page, without a response.
          if (answered.has(pathname)) return;
          answered.add(pathname);
          await route.fulfill({ contentType: 'text/html', body: '<p>Widget</p>' });
        }),
    });
    await showWidgets();
    await expect.poll(() => page.locator('object').count()).toBe(CARDS.length);
    await page.clock.fastForward(30_000);
    await expect.poll(() => page.locator('object').count()).toBe(0);
    for (const name of CARDS) expect(await frameOf(name).isVisible()).toBe(true);
  });
});

describe('a widget that the network blocks', () => {
  const asked: string[] = [];

  beforeAll(async () => {
    await open('blocked', {
      viewport: { width: 1280, height: 300 },
      before: async (opened) => {
        opened.on('request', (request) => asked.push(request.url()));
        await standInForProvider(opened, () => way);
      },
    });
  });

  it('is not requested before it is near the visible part', async () => {
    await page.waitForLoadState('networkidle');
    expect(asked.filter((url) => url.startsWith(PROVIDER_ORIGIN))).toEqual([]);
    const before = await Promise.all(CARDS.map(heightOf));
    await showWidgets();
    for (const name of CARDS) await noteOf(name).waitFor();
    await ownChart().waitFor();
    expect(await Promise.all(CARDS.map(heightOf))).toEqual(before);
    expect(await shift(page)).toBe(0);
  });

  it('is hidden within a second and replaced by a note', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await showWidgets();
    for (const name of CARDS) {
      await noteOf(name).getByText('TradingView does not respond.').waitFor();
      expect(await frameOf(name).isVisible()).toBe(false);
      const link = noteOf(name).getByRole('link', { name: 'Open it at TradingView' });
      expect(await link.getAttribute('rel')).toBe('noopener nofollow');
    }
    await ownChart().getByText('S&P 500 closes, 14 Oct to 13 Nov 2026').waitFor();
    expect(await ownChart().innerText()).toContain('+121.81 (+1.84%)');
    expect(await ownChart().innerText()).toContain('as of Fri 13 Nov 2026, close');
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
      expect(await walk().locator('text').first().textContent()).toBe('Wed 14 Oct 2026');
      const box = await walk().boundingBox();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 16, (box?.y ?? 0) + 40);
      await expect.poll(() => walk().getAttribute('aria-valuetext')).toBe(last);
      await ownChart().getByText('Show the values as a table').click();
      await ownChart().getByRole('row').first().waitFor();
      const rows = await ownChart().getByRole('row').allInnerTexts();
      expect(rows.map((row) => row.split('\t'))).toEqual([
        ['Date (New York)', 'S&P 500', 'As of'],
        ['Fri 13 Nov 2026', '6,734.11', 'close'],
        ['Thu 12 Nov 2026', '6,701.45', 'close'],
        ['Fri 30 Oct 2026', '6,590.20', 'close'],
        ['Wed 14 Oct 2026', '6,612.30', 'close'],
      ]);
    });

    it('is printed without the note', async () => {
      await page.emulateMedia({ media: 'print' });
      const drawing = await ownChart().getByRole('figure').locator('svg').first().boundingBox();
      expect(drawing?.height).toBeGreaterThan(100);
      expect(await noteOf('Price Chart').isVisible()).toBe(false);
      await page.emulateMedia({ media: null });
    });

    it('fits a phone', expectToFitPhone);

    /** Writes these rows of the index, and makes our chart read them. */
    async function showCloses(rows: readonly WrittenRow[]): Promise<void> {
      await over.show({ ...MIDDLING, market_indices: rows });
      await card('Price Chart').getByRole('button', { name: 'Retry' }).click();
      await noteOf('Price Chart').getByText('TradingView does not respond.').waitFor();
    }

    it('marks an open session', async () => {
      await showCloses([...CLOSES, spx(6720, '2026-11-13T19:05:00Z')]);
      await ownChart().getByText('as of Fri 13 Nov 2026, 14:05 New York time').waitFor();
      expect(await ownChart().locator('.chart-end-moving').count()).toBe(1);
    });

    it('states that the table has no closes', async () => {
      await showCloses([]);
      await card('Price Chart').getByText('No closes of the S&P 500 are available.').waitFor();
      await showCloses(ROWS.market_indices);
    });
  });

  it('offers Retry, which keeps our chart until the frame loads', async () => {
    await ownChart().waitFor();
    for (const name of CARDS) await noteOf(name).waitFor();
    const before = await frameOf('Price Chart').elementHandle();
    // Pause the clock, so that the retry does not end before the test looks at it.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await card('Price Chart').getByRole('button', { name: 'Retry' }).click();
    await noteOf('Price Chart').getByText('Trying again…').waitFor();
    expect(await ownChart().isVisible()).toBe(true);
    await page.clock.resume();
    await noteOf('Price Chart').getByText('TradingView does not respond.').waitFor();
    expect(await before?.evaluate((frame) => frame.isConnected)).toBe(false);

    way = 'answers';
    await card('Price Chart').getByRole('button', { name: 'Retry' }).click();
    await ownChart().waitFor({ state: 'detached' });
    expect(await frameOf('Price Chart').isVisible()).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('widget-place');
    // The page has requested no other widget: their notes are unchanged.
    expect(await noteOf('S&P 500 Heatmap').count()).toBe(1);
  });
});

describe('a widget on a host whose policy forbids the check', () => {
  it('does not count as blocked', async () => {
    way = 'silent';
    page = await over.open({
      clock: 'movable',
      before: async (opened) => {
        allowComplaints(opened, /Content Security Policy directive: "object-src 'none'"/);
        await standInForProvider(opened, () => way);
        await opened.route(`${over.url}/`, async (route) => {
          const response = await route.fetch();
          const policy = response.headers()['content-security-policy'] ?? '';
          const headers = {
            ...response.headers(),
            'content-security-policy': policy.replace(/object-src [^;]+/, "object-src 'none'"),
          };
          await route.fulfill({ response, headers });
        });
      },
    });
    await showWidgets();
    for (const name of CARDS) {
      await card(name).locator('.widget-ghost').waitFor({ state: 'detached' });
      expect(await frameOf(name).isVisible()).toBe(true);
      expect(await noteOf(name).count()).toBe(0);
    }
  });
});

describe('the widgets without a network', () => {
  it('the note and our chart replace the widgets until the network returns', async () => {
    await open('hanging', { serviceWorkers: 'allow', own: true });
    await untilKept();
    await showWidgets();
    // Stop just before the time limit of the widgets, after which they would show another note.
    await page.clock.pauseAt(Date.parse(FRIDAY_EVENING) + PATIENCE - 1);
    await page.context().setOffline(true);
    for (const name of CARDS) {
      await noteOf(name).getByText('You are offline.').waitFor();
      expect(await frameOf(name).isVisible()).toBe(false);
    }
    await page.clock.resume();
    await ownChart().waitFor();
    way = 'answers';
    await page.context().setOffline(false);
    for (const name of CARDS) {
      await noteOf(name).waitFor({ state: 'detached' });
      expect(await frameOf(name).isVisible()).toBe(true);
    }
  });
});

describe('the widgets beside demonstration data', () => {
  const SENTENCE = 'These charts show the real market. The other numbers on this page are invented.';
  const demoNote = (name: string) => card(name).getByText(SENTENCE);

  beforeAll(async () => {
    await over.put({
      ...ROWS,
      market_metrics: MIDDLING.market_metrics.map((row) => ({ ...row, source: 'simulated' })),
    });
  });

  afterAll(async () => {
    await over.put(ROWS);
  });

  it('a widget that loads is marked as the real market', async () => {
    await open('answers');
    await showWidgets();
    const heights = { 'Price Chart': 500, 'Top Gainers and Losers': 550, 'S&P 500 Heatmap': 600 };
    for (const [name, height] of Object.entries(heights)) {
      expect(await demoNote(name).isVisible()).toBe(true);
      const place = await card(name).locator('.widget-place').boundingBox();
      const attribution = await card(name).locator('.widget-attribution').boundingBox();
      expect((place?.height ?? 0) + (attribution?.height ?? 0)).toBe(height);
    }
    await page.emulateMedia({ media: 'print' });
    for (const name of CARDS) expect(await demoNote(name).isVisible()).toBe(false);
    expect(over.problems()).toEqual([]);
  });

  it('our own chart replaces a blocked widget without a marker or a layout shift', async () => {
    await open('blocked');
    const before = await Promise.all(CARDS.map(heightOf));
    await showWidgets();
    for (const name of CARDS) {
      await noteOf(name).waitFor();
      await demoNote(name).waitFor({ state: 'hidden' });
    }
    await ownChart().waitFor();
    expect(await Promise.all(CARDS.map(heightOf))).toEqual(before);
    expect(await shift(page)).toBe(0);
    expect(over.problems()).toEqual([]);
  });
});

describe('configured symbols', () => {
  it('replace the defaults', async () => {
    const { url } = await over.serve({ widgetSymbols: 'NASDAQ:AAPL|Apple "</script>, AMEX:GLD' });
    await open('answers', { at: url });
    await card('Price Chart').scrollIntoViewIfNeeded();
    await frameOf('Price Chart').waitFor();
    expect(await settingsOf('Price Chart')).toMatchObject({
      tabs: [
        {
          symbols: [
            { s: 'NASDAQ:AAPL', d: 'Apple "</script>' },
            { s: 'AMEX:GLD', d: 'AMEX:GLD' },
          ],
        },
      ],
    });
    expect(over.problems()).toEqual([]);
  });

  it('fail a static build that names the invalid symbol', async () => {
    const { output, site } = await buildPage({ VITE_WIDGET_SYMBOLS: 'SPY' });
    expect(output).toContain('VITE_WIDGET_SYMBOLS is "SPY"; it must be up to 12 symbols');
    expect(site.size).toBe(0);
  });
});
