import type { BrowserContextOptions, Page } from 'playwright-core';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { marketDay, previousSession, sessionClose } from '#domain/calendar/sessions.ts';
import { allowComplaints, FAILED_REQUEST } from './complaints.ts';
import type { FreshPages } from './fresh-pages.ts';
import { failReads, READS } from './held-requests.ts';
import { openAdvanced, openAwake, refreshed, withoutData } from './opening.ts';

/** Start of each state: a new page, and the address of the product. */
export interface Visit {
  page: Page;
  url: string;
  /** Folder of the built page; by default that of this checkout. */
  client?: string | undefined;
}

export interface PageState {
  /** The name of the state and of its screenshot. */
  name: string;
  /** Options of the browser context, beyond width and theme. */
  context?: BrowserContextOptions;
  /** True for an overlay: the picture shows the window instead of the whole page. */
  overlay?: boolean;
  /** True if it changes the page permanently, for example its scripts or its clock. */
  own?: boolean;
  /** Name of another state from which `step` may continue on the same page. */
  after?: string;
  /** Selector of the part that differs from the open dashboard; the rest is the same. */
  changes?: string;
  /** Opens the page. */
  open: (visit: Visit) => Promise<void>;
  /** Steps to the state, from the open page or from the previous state. */
  step?: (visit: Visit) => Promise<void>;
  /** True if `step` also works in the state itself: another width of the window may have ended it. */
  repeats?: boolean;
}

/** Refreshes the page with the given tables empty and the others unchanged. */
async function refreshedWithout(page: Page, ...tables: readonly string[]): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  for (const table of tables) {
    await page.route(`**/rest/v1/${table}?*`, (route) => route.fulfill({ json: [] }));
  }
  await refreshed(page);
}

/** The dashboard with its data. */
export async function openDashboard({ page, url }: Visit): Promise<void> {
  await openAwake(page, url);
}

/** Scrolls to every widget until it reports that it did not load, then back to the top. */
export async function awaitWidgets(page: Page): Promise<void> {
  for (const widget of await page.locator('.widget').all()) {
    await widget.scrollIntoViewIfNeeded();
    // The drawing of our own loads its code and its values. Without rows it is one sentence.
    await widget.locator('.own-drawing, .own-words').first().waitFor({ state: 'attached' });
  }
  await page.evaluate(() => scrollTo(0, 0));
}

async function openError({ page, url, client }: Visit): Promise<void> {
  await withoutData(page, url, undefined, client);
  const message = 'The database is not available. Please try again later.';
  await failReads(page, { status: 503, json: { code: 'PGRST000', message } });
  await openAwake(page, url);
  await page.getByRole('heading', { name: 'Failed to load market data' }).waitFor();
}

/** Name of the set of stocks in live data. */
const LIVE_STOCKS = 'S&P 500';

/** Columns of the newest rows that differ in live data after a close, before the day's put/call ratio is published. */
const AFTER_THE_CLOSE: Readonly<Record<string, object>> = {
  advanced_indicators: {
    ...{ put_call_ratio: null, tick_index: 412, tick_universe: LIVE_STOCKS },
    // The TRIN is published for a session, while the exchange's counts need those of weeks before them.
    trin_universe: EXCHANGE,
  },
  fear_greed_index: { earlier_components: 'put_call_options,junk_bond_demand' },
};

/** Providers of the inputs at that time. */
const GIVEN_BY = {
  alpaca: ['bars', 'tick_proxy'],
  yahoo: ['sp500_close', 'nasdaq_composite_close', 'dow_jones_close', 'vix_close', 'treasury_fund_close'],
  wsj: ['nyse_advances', 'nyse_declines', 'nyse_unchanged', 'nyse_new_highs', 'nyse_new_lows', 'nyse_trin'],
  cboe: ['put_call_total', 'put_call_equity'],
  fred: ['high_yield_oas', 'investment_grade_oas', 'treasury_10y_yield'],
} as const;

/** Those that have only the session before. */
const LATE = ['cboe', 'fred'];

function originsAt(created_at: string): object[] {
  const today = marketDay(Date.parse(created_at));
  const before = previousSession(today);
  const closeBefore = new Date(sessionClose(before)).toISOString();
  const fetched_at = new Date(Date.parse(created_at) + 35 * 60_000).toISOString();
  return Object.entries(GIVEN_BY).flatMap(([provider, inputs]) =>
    inputs.map((input) => {
      const [session, observed_at] = LATE.includes(provider) ? [before, closeBefore] : [today, created_at];
      return { input, provider, session, observed_at, fetched_at, created_at };
    }),
  );
}

/** Makes the HTML of the page state the record of a live source. */
async function liveRecord(page: Page, url: string): Promise<void> {
  await page.route(url, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('Demo record since', 'On record since');
    await route.fulfill({ response, body });
  });
}

/** Makes the reads return the existing rows in the form of a live source. */
async function liveData(page: Page): Promise<void> {
  await page.route(READS, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const table = pathname.split('/').at(-1) ?? '';
    if (table === 'input_origins') {
      await route.fulfill({ json: originsAt(searchParams.get('created_at')?.slice('gte.'.length) ?? '') });
      return;
    }
    const response = await route.fetch();
    const rows: object[] = JSON.parse(
      (await response.text()).replaceAll(/\d+ simulated stocks/g, LIVE_STOCKS),
    );
    // Rows of earlier days are complete.
    const isNewest = !searchParams.getAll('created_at').some((bound) => bound.startsWith('lt'));
    const json = rows.map((row) =>
      'source' in row ? { ...row, source: 'live', ...(isNewest && AFTER_THE_CLOSE[table]) } : row,
    );
    await route.fulfill({ response, json });
  });
}

const timelineSlider = (page: Page) => page.getByRole('slider', { name: /^Fear & Greed/ });

async function openTimeline(visit: Visit): Promise<void> {
  await openDashboard(visit);
  await visit.page.getByRole('tab', { name: 'Timeline' }).click();
  await timelineSlider(visit.page).waitFor();
}

async function openAdvancedSection(visit: Visit): Promise<void> {
  await openDashboard(visit);
  await openAdvanced(visit.page);
}

/** Opens the history of a figure and waits for its chart. */
export async function openHistory(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `A year of ${name}`, exact: true }).click();
  await page.getByRole('dialog', { name }).getByRole('slider').waitFor();
}

async function showDialog({ page }: Visit): Promise<void> {
  // Close an open note first, because it may cover the button.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
  await page.getByLabel('Email Address').waitFor();
}

async function openDialog(visit: Visit): Promise<void> {
  await openDashboard(visit);
  await showDialog(visit);
}

/** Subscribes in the open dialog, with the given response of the server. */
async function subscribe({ page }: Visit, answer: 'success' | 'duplicate' | 'never'): Promise<void> {
  await page.route('**/rest/v1/email_subscribers', async (route) => {
    if (answer === 'success') await route.fulfill({ status: 201, body: '' });
    if (answer !== 'duplicate') return;
    allowComplaints(page, FAILED_REQUEST);
    await route.fulfill({ status: 409, json: { code: '23505', message: 'duplicate' } });
  });
  await page.getByLabel('Email Address').fill('visitor@example.org');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
}

/** Every visible state of the page and the steps to it. A state with `after` continues from the state of that name. */
export const PAGE_STATES: readonly PageState[] = [
  {
    name: 'loading',
    open: async ({ page, url, client }) => {
      await withoutData(page, url, undefined, client);
      await page.route(READS, () => {});
      await openAwake(page, url);
      await page.getByText('Loading market data...').waitFor();
    },
  },
  { name: 'error', open: openError },
  { name: 'dashboard', open: openDashboard },
  {
    name: 'scrolled',
    overlay: true,
    after: 'dashboard',
    changes: '.sections',
    open: openDashboard,
    step: async ({ page }) => {
      await page.locator('.insight-dot').first().scrollIntoViewIfNeeded();
      await page.locator('.sticky-line').waitFor();
    },
  },
  {
    name: 'explanation',
    overlay: true,
    after: 'scrolled',
    changes: '[popover]:popover-open',
    open: openDashboard,
    step: async ({ page }) => {
      await page.getByRole('button', { name: 'About Market Signal' }).click();
      await page.getByRole('dialog').getByText('weighted average').waitFor();
    },
  },
  {
    name: 'share-menu',
    overlay: true,
    after: 'explanation',
    changes: '[popover]:popover-open',
    open: openDashboard,
    step: async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByRole('dialog', { name: 'Share' }).getByText('Badge').first().waitFor();
    },
  },
  {
    name: 'dialog',
    overlay: true,
    after: 'share-menu',
    changes: 'dialog',
    open: openDashboard,
    step: showDialog,
  },
  {
    name: 'dialog-error',
    overlay: true,
    after: 'dialog',
    changes: 'dialog',
    open: openDialog,
    step: async (visit) => {
      await subscribe(visit, 'duplicate');
      await visit.page.getByText('This email is already subscribed').waitFor();
    },
  },
  {
    name: 'dialog-busy',
    overlay: true,
    changes: 'dialog',
    open: openDialog,
    step: async (visit) => {
      await subscribe(visit, 'never');
      await visit.page.getByText('Subscribing...').waitFor();
    },
  },
  {
    name: 'dialog-success',
    overlay: true,
    own: true,
    changes: 'dialog',
    open: async (visit) => {
      // The dialog closes after two seconds, but this timer never fires here.
      await visit.page.addInitScript(() => {
        const setTimer = window.setTimeout.bind(window);
        const withoutClosing = (handler: TimerHandler, delay = 0) =>
          delay === 2000 ? 0 : setTimer(handler, delay);
        window.setTimeout = withoutClosing as typeof window.setTimeout;
      });
      await openDialog(visit);
      await subscribe(visit, 'success');
      await visit.page.getByText("You're subscribed!").waitFor();
    },
  },
  { name: 'timeline', changes: 'section:has(#fear-greed-title)', open: openTimeline },
  {
    name: 'timeline-reading',
    after: 'timeline',
    changes: 'section:has(#fear-greed-title)',
    open: openTimeline,
    repeats: true,
    step: async ({ page }) => {
      // A mouse over the chart would end the reading when the width of the window changes.
      await page.mouse.move(0, 0);
      await timelineSlider(page).focus();
      await page.keyboard.press('End');
      for (let step = 0; step < 5; step += 1) await page.keyboard.press('PageDown');
    },
  },
  {
    name: 'timeline-table',
    after: 'timeline-reading',
    changes: 'section:has(#fear-greed-title)',
    open: openTimeline,
    step: async ({ page }) => {
      await page.getByRole('region', { name: 'Fear & Greed Index' }).getByText('Values as a table').click();
      await page.getByRole('columnheader', { name: 'Label' }).first().waitFor();
    },
  },
  {
    name: 'widgets-blocked',
    changes: '.widget',
    open: openDashboard,
    step: ({ page }) => awaitWidgets(page),
  },
  {
    name: 'advanced',
    after: 'widgets-blocked',
    changes: 'section:has(#advanced-content)',
    open: openDashboard,
    step: async ({ page }) => {
      await page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
      await page.getByRole('heading', { name: 'Sector Strength' }).waitFor();
    },
  },
  {
    name: 'history',
    after: 'advanced',
    changes: '[popover]:popover-open',
    open: openAdvancedSection,
    step: ({ page }) => openHistory(page, 'VIX'),
  },
  {
    name: 'refresh-failed',
    overlay: true,
    changes: '.notice',
    open: openDashboard,
    step: async ({ page }) => {
      await failReads(page);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('Refresh failed at').waitFor();
    },
  },
  {
    name: 'database-away',
    changes: 'main > .chip-notice',
    open: openDashboard,
    step: async ({ page }) => {
      await page.route(READS, async (route) => {
        const response = await route.fetch();
        const stale = { age: '264', 'cache-control': 'no-store' };
        await route.fulfill({ response, headers: { ...response.headers(), ...stale } });
      });
      await refreshed(page);
      await page.locator('main > .chip-notice').waitFor();
    },
  },
  {
    name: 'offline',
    overlay: true,
    changes: '.notice',
    open: openDashboard,
    step: async ({ page }) => {
      allowComplaints(page, FAILED_REQUEST);
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page
        .locator('.notice')
        .getByText(/^Offline\. Showing what was read/)
        .waitFor();
    },
  },
  {
    name: 'stale',
    own: true,
    open: async (visit) => {
      await visit.page.clock.install({ time: Date.now() + 9 * 86_400_000 });
      await openDashboard(visit);
      await visit.page.getByText(/sessions? behind/).waitFor();
      // The page reads the new data by itself.
      await visit.page.locator('button[aria-label=Refresh]:enabled').waitFor();
    },
  },
  {
    name: 'live',
    open: async (visit) => {
      await liveRecord(visit.page, new URL('/', visit.url).href);
      await openDashboard(visit);
      await liveData(visit.page);
      await refreshed(visit.page);
      await visit.page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
      await visit.page.getByRole('link', { name: 'Sources' }).click();
      await visit.page.getByRole('cell', { name: 'The Wall Street Journal' }).first().waitFor();
    },
  },
  {
    name: 'input-missing',
    open: openDashboard,
    step: async ({ page }) => {
      await refreshedWithout(page, 'market_sentiment');
      await page.getByText('6 of 7 inputs').waitFor();
    },
  },
  {
    name: 'insufficient-data',
    after: 'input-missing',
    open: openDashboard,
    step: async ({ page }) => {
      await refreshedWithout(page, 'market_metrics', 'fear_greed_index');
      await page.getByText('Insufficient data').first().waitFor();
    },
  },
  {
    name: 'empty',
    after: 'insufficient-data',
    open: openDashboard,
    step: async ({ page }) => {
      await refreshedWithout(page, '*');
      await page.getByText('0 of 7 inputs').waitFor();
    },
  },
];

export const THEMES = ['dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

export interface Look {
  theme: Theme;
  width: number;
  height?: number;
}

/** Returns a page in a state, with nothing in motion. The next call ends it. `client` is as in `Visit`. */
export async function visit(
  fresh: FreshPages,
  url: string,
  state: PageState,
  { theme, width, height = 900 }: Look,
  client?: string,
): Promise<Page> {
  const page = await fresh({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    own: state.own ?? false,
    ...state.context,
  });
  await state.open({ page, url, client });
  await state.step?.({ page, url, client });
  return page;
}
