import type { BrowserContextOptions, Page } from 'playwright-core';
import { allowComplaints, FAILED_REQUEST } from './complaints.ts';
import type { FreshPages } from './fresh-pages.ts';
import { failReads, READS } from './held-requests.ts';
import { openAwake, refreshed, withoutData } from './opening.ts';

/** What a state is reached from: a new page, and the address of the product. */
export interface Visit {
  page: Page;
  url: string;
}

export interface PageState {
  /** As in the names of the screenshots. */
  name: string;
  /** What the browser has to be like, beyond width and theme. */
  context?: BrowserContextOptions;
  /** Whether it is seen over the page: then the picture is of the window, not of the whole page. */
  overlay?: boolean;
  /** Whether it leaves behind what only ends with the browser's memory: a script, a clock. */
  own?: boolean;
  reach: (visit: Visit) => Promise<void>;
}

/** Answers the reads of these tables with no rows. */
async function emptyTables(page: Page, ...tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await page.route(`**/rest/v1/${table}?*`, (route) => route.fulfill({ json: [] }));
  }
}

/** The dashboard with its data. */
export async function openDashboard({ page, url }: Visit): Promise<void> {
  await openAwake(page, url);
}

/** Goes by every widget until it says that nothing came of it, and back to the top. */
export async function awaitWidgets(page: Page): Promise<void> {
  for (const widget of await page.locator('.widget').all()) {
    await widget.scrollIntoViewIfNeeded();
    // Print hides it.
    await widget.locator('button', { hasText: 'Retry' }).waitFor({ state: 'attached' });
  }
  // What stands in for the price chart has its code and its values to read.
  await page.locator('.widget-closes:not(:empty)').waitFor({ state: 'attached' });
  await page.evaluate(() => scrollTo(0, 0));
}

async function openError({ page, url }: Visit): Promise<void> {
  await withoutData(page, url);
  await failReads(page, { status: 500, json: { code: '57P03', message: 'The database is away.' } });
  await openAwake(page, url);
  await page.getByRole('heading', { name: 'Failed to load market data' }).waitFor();
}

/** What else is different in a table's newest rows while a session of live data is open. */
const WITHIN_A_SESSION: Readonly<Record<string, object>> = {
  advanced_indicators: { put_call_ratio: null, tick_index: 412, tick_universe: 'S&P 500' },
  fear_greed_index: { mixed_sessions: true },
};

/** Who gives the inputs then; the last two give the close before. */
const GIVEN_BY = {
  alpaca: ['bars', 'tick_proxy'],
  yahoo: ['sp500_close', 'nasdaq_composite_close', 'dow_jones_close', 'vix_close', 'treasury_fund_close'],
  wsj: ['nyse_advances', 'nyse_declines', 'nyse_unchanged', 'nyse_new_highs', 'nyse_new_lows', 'nyse_trin'],
  cboe: ['put_call_total', 'put_call_equity'],
  fred: ['high_yield_oas', 'investment_grade_oas', 'treasury_10y_yield'],
} as const;

function originsAt(created_at: string): object[] {
  const dayBefore = new Date(Date.parse(created_at) - 86_400_000).toISOString();
  const fetched_at = new Date(Date.parse(created_at) + 95_000).toISOString();
  return Object.entries(GIVEN_BY).flatMap(([provider, inputs]) =>
    inputs.map((input) => {
      if (input === 'nyse_trin') return { input, created_at };
      const observed_at = ['cboe', 'fred'].includes(provider) ? dayBefore : created_at;
      return { input, provider, session: observed_at.slice(0, 10), observed_at, fetched_at, created_at };
    }),
  );
}

/** Lets the reads answer with the rows that are there as a live source would have written them. */
async function liveData(page: Page): Promise<void> {
  await page.route(READS, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const table = pathname.split('/').at(-1) ?? '';
    if (table === 'input_origins') {
      await route.fulfill({ json: originsAt(searchParams.get('created_at')?.slice('gte.'.length) ?? '') });
      return;
    }
    const response = await route.fetch();
    const rows: object[] = await response.json();
    const json = rows.map((row) =>
      'source' in row ? { ...row, source: 'live', ...WITHIN_A_SESSION[table] } : row,
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

async function openDialog(visit: Visit): Promise<void> {
  await openDashboard(visit);
  await visit.page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
  await visit.page.getByLabel('Email Address').waitFor();
}

/** Subscribes in the open dialog, with what the server would answer. */
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

/** Every state the page can be seen in, and how it is reached. */
export const PAGE_STATES: readonly PageState[] = [
  {
    name: 'loading',
    reach: async ({ page, url }) => {
      await withoutData(page, url);
      await page.route(READS, () => {});
      await openAwake(page, url);
      await page.getByText('Loading market data...').waitFor();
    },
  },
  { name: 'error', reach: openError },
  { name: 'dashboard', reach: openDashboard },
  { name: 'timeline', reach: openTimeline },
  {
    name: 'timeline-reading',
    reach: async (visit) => {
      await openTimeline(visit);
      await timelineSlider(visit.page).focus();
      for (let step = 0; step < 5; step += 1) await visit.page.keyboard.press('PageDown');
    },
  },
  {
    name: 'timeline-table',
    reach: async (visit) => {
      await openTimeline(visit);
      await visit.page
        .getByRole('region', { name: 'Fear & Greed Index' })
        .getByText('Show the values as a table')
        .click();
      await visit.page.getByRole('columnheader', { name: 'Label' }).first().waitFor();
    },
  },
  {
    name: 'advanced',
    reach: async (visit) => {
      await openDashboard(visit);
      await visit.page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
      await visit.page.getByRole('heading', { name: 'Sector Strength' }).waitFor();
    },
  },
  {
    name: 'explanation',
    overlay: true,
    reach: async (visit) => {
      await openDashboard(visit);
      await visit.page.getByRole('button', { name: 'About Market Signal' }).click();
      await visit.page.getByRole('dialog').getByText('weighted average').waitFor();
    },
  },
  { name: 'dialog', overlay: true, reach: openDialog },
  {
    name: 'dialog-busy',
    overlay: true,
    reach: async (visit) => {
      await openDialog(visit);
      await subscribe(visit, 'never');
      await visit.page.getByText('Subscribing...').waitFor();
    },
  },
  {
    name: 'dialog-error',
    overlay: true,
    reach: async (visit) => {
      await openDialog(visit);
      await subscribe(visit, 'duplicate');
      await visit.page.getByText('This email is already subscribed').waitFor();
    },
  },
  {
    name: 'dialog-success',
    overlay: true,
    own: true,
    reach: async (visit) => {
      // It closes after two seconds; here that timer is never set.
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
  {
    name: 'refresh-failed',
    overlay: true,
    reach: async (visit) => {
      await openDashboard(visit);
      await failReads(visit.page);
      await visit.page.getByRole('button', { name: 'Refresh' }).click();
      await visit.page.getByText('Refresh failed at').waitFor();
    },
  },
  {
    name: 'offline',
    overlay: true,
    reach: async (visit) => {
      await openDashboard(visit);
      allowComplaints(visit.page, FAILED_REQUEST);
      await visit.page.context().setOffline(true);
      await visit.page.getByRole('button', { name: 'Refresh' }).click();
      await visit.page
        .locator('.notice')
        .getByText(/^Offline\. Showing what was read/)
        .waitFor();
    },
  },
  {
    name: 'widgets-blocked',
    reach: async (visit) => {
      await openDashboard(visit);
      await awaitWidgets(visit.page);
    },
  },
  {
    name: 'demo-explained',
    overlay: true,
    reach: async (visit) => {
      await openDashboard(visit);
      await visit.page.getByRole('button', { name: 'Demo data' }).click();
      await visit.page.locator('.about-note:popover-open').waitFor();
    },
  },
  {
    name: 'stale',
    own: true,
    reach: async (visit) => {
      await visit.page.clock.install({ time: Date.now() + 9 * 86_400_000 });
      await openDashboard(visit);
      await visit.page.getByText(/sessions? behind/).waitFor();
      // It reads by itself what came meanwhile.
      await visit.page.locator('button[aria-label=Refresh]:enabled').waitFor();
    },
  },
  {
    name: 'live',
    reach: async (visit) => {
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
    reach: async (visit) => {
      await openDashboard(visit);
      await emptyTables(visit.page, 'market_sentiment');
      await refreshed(visit.page);
      await visit.page.getByText('6 of 7 inputs').waitFor();
    },
  },
  {
    name: 'insufficient-data',
    reach: async (visit) => {
      await openDashboard(visit);
      await emptyTables(visit.page, 'market_metrics', 'fear_greed_index');
      await refreshed(visit.page);
      await visit.page.getByText('Insufficient data').first().waitFor();
    },
  },
  {
    name: 'empty',
    reach: async (visit) => {
      await openDashboard(visit);
      await visit.page.route(READS, (route) => route.fulfill({ json: [] }));
      await refreshed(visit.page);
      await visit.page.getByText('0 of 7 inputs').waitFor();
    },
  },
];

export const THEMES = ['dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];

/** A page in a state, with nothing in motion, until the next one is asked for. */
export async function visit(
  fresh: FreshPages,
  url: string,
  state: PageState,
  { theme, width, height = 900 }: { theme: Theme; width: number; height?: number },
): Promise<Page> {
  const page = await fresh({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    own: state.own ?? false,
    ...state.context,
  });
  await state.reach({ page, url });
  return page;
}
