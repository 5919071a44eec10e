import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INDICES } from '#domain/readings/quotes.ts';
import { PAUSE } from '#web/app/after-load.ts';
import { standInForProvider } from '../support/charting-provider.ts';
import { allowComplaints } from '../support/complaints.ts';
import { heldRequests } from '../support/held-requests.ts';
import { faultsOf } from '../support/layout.ts';
import { changed, MIDDLING } from '../support/market-tables.ts';
import { awake } from '../support/opening.ts';
import { FRIDAY_EVENING, pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section } from '../support/shown.ts';

/* The page with data as the server sends it: its markup before any script, its hydration, and visitors whose clock
   differs from the server's. */

const ADVANCED = 'Advanced Market Indicators, Sectors & Breadth';
const PHONE = { viewport: { width: 390, height: 844 } };

const ROWS = {
  ...MIDDLING,
  ...changed('market_metrics', { market_exposure: 61.7, overall_strength: 38.2 }),
  ...changed('advanced_indicators', { vix: 17.43, tick_index: -1412 }),
  ...changed('market_breadth', { advancing_stocks: 1362, declining_stocks: 1032, unchanged_stocks: 106 }),
};

const host = shared(pageOverRows);

beforeAll(async () => {
  await host.put(ROWS);
});

/** Distinct numbers in the visible sections of the page. */
async function numbersOn(page: Page): Promise<string[]> {
  // Skip hidden elements: `allInnerTexts` would include their text.
  const sections = page.locator('main section:not(.widget), main details').filter({ visible: true });
  const words = (await sections.allInnerTexts()).join(' ');
  return [...new Set(words.match(/[+−]?\d[\d,.]*%?/g))].sort();
}

/** Records the reads of a page from its first request on. */
function readsOf(page: Page): string[] {
  const reads: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/rest/v1/')) reads.push(request.url());
  });
  return reads;
}

/** Opens the page and acts as a visitor whose script is still loading; then lets the script load. */
function openAndPress(
  act: (page: Page) => Promise<void>,
  data: 'in the page' | 'read by it' = 'in the page',
): Promise<Page> {
  const { hold, release } = heldRequests();
  return host.open({
    data,
    before: (opening) => opening.route('**/assets/index-*.js', hold),
    until: async (opening) => {
      await act(opening);
      release('answer');
      await awake(opening);
    },
    waitUntil: 'commit',
  });
}

const clocks = (page: Page) => page.locator('.header-updated').innerText();

describe('the page before any script', () => {
  it('shows every number that scripts show [R16]', async () => {
    const scripted = await host.open(PHONE);
    await scripted.getByRole('button', { name: ADVANCED }).click();
    await scripted.getByRole('heading', { name: 'Sector Strength' }).waitFor();
    const shown = await numbersOn(scripted);
    expect(shown).toEqual(expect.arrayContaining(['61.7', '38.2', '17.43', '−1,412', '1,362', '54.5%']));

    const page = await host.open({ ...PHONE, javaScriptEnabled: false, until: async () => undefined });
    const numbers = await numbersOn(page);
    expect(shown.filter((number) => !numbers.includes(number))).toEqual([]);
    expect(await page.locator('main').innerText()).toContain(
      'JavaScript is off, so the numbers do not refresh.',
    );
    expect(await page.getByRole('banner').innerText()).toMatch(/Last updated Fri 13 Nov 2026 21:3\d UTC/);
    expect(await faultsOf(page, { hasScripts: false })).toEqual([]);
  });

  it('requests at most eight files and no data [R16]', async () => {
    const asked: Request[] = [];
    const page = await host.open({
      ...PHONE,
      own: true,
      before: async (opening) => {
        // On a phone no widget is near the first screen. On a larger screen its files may count as well, on a fast machine.
        opening.on('request', (request) => asked.push(request));
        // If the provider is blocked, the page reads closes for its own chart.
        await standInForProvider(opening, () => 'answers');
      },
    });
    await page.waitForLoadState('networkidle');
    // After the time `PAUSE` the page fetches files for later visits, which do not count. A busy machine may already
    // have sent those requests.
    const begun = asked[0]?.timing().startTime ?? 0;
    const own = asked
      .filter((request) => request.timing().startTime < begun + PAUSE)
      .flatMap((request) => (request.url().startsWith(host.url) ? new URL(request.url()).pathname : []));
    expect(own[0]).toBe('/');
    expect(own.some((path) => path.endsWith('.js'))).toBe(true);
    expect(own.filter((path) => path.startsWith('/rest/'))).toEqual([]);
    // The page, its icon and its script; then the gauge, the folded indicators, and styles of what opens later.
    expect(own.length, own.join(' ')).toBeLessThanOrEqual(8);
  });
});

describe('the first screen of a phone', () => {
  const MOST_ABOVE = 380;
  const SIZES = [
    [360, 640],
    [390, 844],
  ] as const;
  afterAll(() => host.put(ROWS));

  it.each([
    ['live', 'Sources'],
    ['simulated', 'Demo data: invented numbers'],
  ] as const)('begins the verdict and its score above 380 px with %s data', async (source, chip) => {
    const stamped = Object.entries(ROWS).map(([table, rows]) => [
      table,
      rows.map((row, at) => ({
        ...{ ...row, source },
        ...(table === 'market_indices' && { name: INDICES[at]?.name }),
      })),
    ]);
    await host.put(Object.fromEntries(stamped));
    for (const [width, height] of SIZES) {
      const page = await host.open({ viewport: { width, height } });
      expect(await page.locator('.header-chips').innerText()).toBe(chip);
      for (const part of ['.verdict', '.verdict-score']) {
        const { y = Number.NaN } = (await page.locator(`.signal ${part}`).boundingBox()) ?? {};
        expect(y, `${part} at ${width} px`).toBeLessThan(MOST_ABOVE);
      }
      expect(await faultsOf(page), `at ${width} px`).toEqual([]);
    }
  });
});

describe('the header at 320 px', () => {
  it('breaks no link within a word', async () => {
    const page = await host.open({ viewport: { width: 320, height: 640 } });
    const lines = await page.locator('.header-pages a').evaluateAll((links) =>
      links.map((link) => {
        const text = document.createRange();
        text.selectNodeContents(link);
        return text.getClientRects().length;
      }),
    );
    expect(lines).toEqual([1, 1, 1]);
  });
});

describe('the hydration of the page', () => {
  it('keeps every element of the markup', async () => {
    const page = await openAndPress(async (opening) => {
      await opening.waitForFunction(() => document.readyState !== 'loading');
      const count = await opening.evaluate(() => {
        const before = [...document.querySelectorAll('#root *:not(.clock-unknown)')];
        Object.assign(globalThis, { before });
        return before.length;
      });
      expect(count).toBeGreaterThan(300);
    });
    const gone = await page.evaluate(() =>
      (globalThis as unknown as { before: Element[] }).before
        .filter((element) => !element.isConnected)
        .map((element) => element.outerHTML.slice(0, 100)),
    );
    expect(gone).toEqual([]);
  });

  it.each([
    ['out of sight', () => Object.defineProperty(document, 'hidden', { value: true })],
    [
      'in a browser without paint timing',
      () => {
        globalThis.PerformanceObserver.prototype.observe = () => {
          throw new TypeError('Not here.');
        };
      },
    ],
  ])('completes %s as well', async (_, change) => {
    const page = await host.open({
      clock: 'movable',
      own: true,
      before: (opening) => opening.addInitScript(change),
      until: async (opening) => {
        if (!(await opening.evaluate(() => document.hidden))) {
          allowComplaints(opening, /Not here/);
          await opening.clock.fastForward(5000);
        }
        await awake(opening);
      },
    });
    expect(await page.locator('script[src*="assets/index-"]').count()).toBe(1);
  });

  it('reports a mismatch with the markup as an error in the console', async () => {
    const page = await host.open({
      before: async (opening) => {
        allowComplaints(opening, /Minified React error #418/);
        await opening.route(`${host.url}/`, async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replace('>Market Insights<', '>Somebody else’s<');
          await route.fulfill({ response, body });
        });
      },
    });
    await section(page, 'Market Insights').waitFor();
    await expect.poll(() => host.problems().join(' ')).toMatch(/Minified React error #418/);
  });
});

describe('a press before the script runs', () => {
  const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

  it.each(['in the page', 'read by it'] as const)(
    'opens the dialog, also if repeated (data %s)',
    async (data) => {
      const page = await openAndPress(async (opening) => {
        await press('Get the Weekly Signal')(opening);
        await press('Get the Weekly Signal')(opening);
      }, data);
      await page.getByRole('dialog').waitFor();
    },
  );

  it.each<[what: string, press: (page: Page) => Promise<unknown>, shown: string]>([
    ['unfolds a section', press(ADVANCED), 'h3:text("Market Breadth")'],
    ['opens an explanation', press('About Fear & Greed'), '.about-note:popover-open'],
    [
      'changes the theme',
      (page) => page.getByLabel('Colour theme').selectOption('light'),
      '[data-theme="light"]',
    ],
    [
      'follows a link within the page',
      (page) => page.getByRole('link', { name: 'Sources' }).click(),
      '#origins[open]',
    ],
  ])('%s', async (_, act, shown) => {
    const page = await openAndPress(async (opening) => void (await act(opening)));
    await page.locator(shown).first().waitFor();
  });

  it('leaves a note open that the browser opened itself', async () => {
    const page = await openAndPress(async (opening) => {
      const note = '<button type="button" popovertarget="note">Note</button><p id="note" popover>Text</p>';
      await opening.evaluate((html) => document.body.insertAdjacentHTML('afterbegin', html), note);
      await opening.getByRole('button', { name: 'Note' }).click();
    });
    expect(await page.locator('#note:popover-open').count()).toBe(1);
  });
});

describe('the scroll position of the page', () => {
  it('survives a reload, and a link scrolls to its section', async () => {
    const page = await host.open(PHONE);
    const places = (heading: string) =>
      section(page, heading).evaluate((element) => [
        scrollY,
        Math.round(element.getBoundingClientRect().top),
      ]);
    await section(page, 'Market Insights').evaluate((element) => element.scrollIntoView());
    const [scrolled = 0, top] = await places('Market Insights');
    expect(scrolled).toBeGreaterThan(3000);
    await page.reload();
    await awake(page);
    expect(await places('Market Insights')).toEqual([scrolled, top]);
    await page.goto('about:blank');
    await page.goto(`${host.url}/#origins`);
    await awake(page);
    const { top: origins, bottom } = await page.locator('#origins').evaluate((element) => {
      const box = element.getBoundingClientRect();
      return { top: box.top, bottom: innerHeight - box.bottom };
    });
    expect(origins).toBeGreaterThanOrEqual(0);
    expect(bottom).toBeGreaterThanOrEqual(0);
  });

  it('leaves the heading of a skip link below the sticky line', async () => {
    const page = await host.open(PHONE);
    await page.getByRole('link', { name: 'Skip to Fear & Greed' }).press('Enter');
    const [line, heading] = [page.locator('.sticky-line'), page.locator('#fear-greed-title')];
    await line.waitFor();
    const { height = Number.NaN } = (await line.boundingBox()) ?? {};
    const { y = Number.NaN } = (await heading.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(height);
  });
});

describe('a page that is old when it opens', () => {
  const LATER = '2026-11-13T21:41:00.000Z';
  let body: string;
  let headers: Record<string, string>;

  beforeAll(async () => {
    await host.setClock(FRIDAY_EVENING);
    const answer = await fetch(host.url);
    body = await answer.text();
    const names = ['content-type', 'content-security-policy'];
    headers = Object.fromEntries(names.map((name) => [name, answer.headers.get(name) ?? '']));
    await host.put({ ...MIDDLING, ...changed('market_metrics', { market_exposure: 71.4 }) });
  });
  afterAll(() => host.put(ROWS));

  /** Serves the first HTML again ten minutes later, as a cache would, when the rows have changed. */
  const openOld = (before: (page: Page) => Promise<unknown>): Promise<Page> =>
    host.open({
      browserNow: LATER,
      timezoneId: 'UTC',
      before: async (opening) => {
        await opening.route(`${host.url}/`, (route) => route.fulfill({ body, headers }));
        await before(opening);
      },
    });

  it('reads new data immediately', async () => {
    const page = await openOld(async () => undefined);
    await section(page, 'Market Exposure').getByText('71.4').first().waitFor();
    await page.getByText(/^Last updated 21:41 /).waitFor();
  });
});

describe('a visitor whose clock', () => {
  it('is ten minutes behind sees a fresh page without a new read', async () => {
    let reads: string[] = [];
    const page = await host.open({
      timezoneId: 'UTC',
      browserNow: '2026-11-13T21:20:00.000Z',
      before: async (opening) => {
        reads = readsOf(opening);
      },
    });
    expect(await clocks(page)).toBe('Last updated 21:20 your time · Next refresh 60:00');
    // The price chart reads its own closes if the provider of the charts is slow.
    expect(reads.filter((read) => !read.includes('/market_indices?'))).toEqual([]);
  });

  it('is two hours ahead gets a reload immediately, timed by their own clock', async () => {
    const page = await host.open({ timezoneId: 'UTC', browserNow: '2026-11-13T23:30:00.000Z' });
    await page.getByText(/^Last updated 23:30 your time · Next refresh 60:00$/).waitFor();
    expect(await section(page, 'Market Exposure').innerText()).toContain('61.7');
  });

  it('is in another zone sees their own time of day but the market’s days', async () => {
    const page = await host.open({ timezoneId: 'Asia/Tokyo' });
    expect(await clocks(page)).toBe('Last updated 06:30 your time · Next refresh 60:00');
    expect(await page.getByRole('banner').innerText()).toContain('As of Fri 13 Nov 2026, close');
  });

  it('has passed a bell since the server’s read sees the status after it', async () => {
    // The two visits are less than a minute apart, so the server still has the page in its cache.
    const page = await host.open({
      now: '2026-11-16T14:29:40.000Z',
      browserNow: '2026-11-16T14:30:20.000Z',
    });
    await page.getByText('Market open, closes at 16:00 New York time').waitFor();
    const evening = await host.open({
      now: '2026-11-16T22:29:40.000Z',
      browserNow: '2026-11-16T22:30:20.000Z',
    });
    await evening.getByText('1 session behind').waitFor();
    expect(await evening.getByText('Market closed until Tue 17 Nov').count()).toBe(1);
  });
});
