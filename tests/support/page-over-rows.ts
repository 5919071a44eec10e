import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Database } from '#database/port.ts';
import { MARKET_TABLES, type MarketTableName } from '#schema/tables.ts';
import { startServer } from '#server/start-server.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { DRAW_WORKER_URL, embeddedForTest, MIGRATIONS } from './embedded.ts';
import { type FreshOptions, freshPages } from './fresh-pages.ts';
import { LAX_TABLES } from './lax-tables.ts';
import { openBrowser } from './shared-browser.ts';

/** A row as it is written: column names to values; a number may be text, as 'NaN' has to be. */
export type WrittenRow = Readonly<Record<string, unknown>>;
export type MarketTables = Partial<Readonly<Record<MarketTableName, readonly WrittenRow[]>>>;

/** Friday evening, half an hour after the closing bell of the rows in `market-tables.ts`. */
export const FRIDAY_EVENING = '2026-11-13T21:30:00.000Z';

const MEDIA = { colorScheme: 'dark', reducedMotion: 'reduce' } as const;

interface OpenOptions extends Omit<FreshOptions, 'clock'> {
  /** What the browser's clock says, ISO. */
  now?: string;
  /** Whether that clock stands still (timers run all the same) or can be moved by `page.clock`. */
  clock?: 'fixed' | 'movable';
  /** What has to be there before the page counts as open: a heading of `main` when not given. */
  until?: (page: Page) => Promise<unknown>;
  /** Runs before the page is asked for: to route requests, to add scripts. */
  before?: (page: Page) => Promise<unknown>;
}

export interface PageOverRows {
  url: string;
  database: Database;
  /** Makes the market tables hold these rows and nothing else. */
  put(tables: MarketTables): Promise<void>;
  /** Opens the page as a new visitor's; the page opened before is closed, or becomes this one. */
  open(options?: OpenOptions): Promise<Page>;
  /** The page over these rows: what is open reads them by its Refresh button, which is quicker than opening. */
  show(tables: MarketTables): Promise<Page>;
  /** What the open page said on its console as a warning or an error, threw, or asked in a dialog. */
  problems(): readonly string[];
  close(): Promise<void>;
}

async function write(database: Database, tables: MarketTables): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(`truncate ${MARKET_TABLES.map((name) => `public.${name}`).join(', ')}`);
    for (const [table, rows] of Object.entries(tables)) {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
      if (columns === '') continue;
      await transaction.query(
        `insert into public.${table} (${columns})
         select ${columns} from json_populate_recordset(null::public.${table}, $1::json)`,
        [JSON.stringify(rows)],
      );
    }
  });
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * The built page, served by the server's own code over a migrated embedded database without a collector, in a
 * real browser. With `lax` the tables are those of a backend that checks nothing: see `lax-tables.ts`. `now` is
 * the server's clock.
 */
export async function pageOverRows({
  lax = false,
  now = Date.now,
  widgetSymbols = '',
} = {}): Promise<PageOverRows> {
  const [{ database, remove }, browser] = await Promise.all([embeddedForTest(), openBrowser()]);
  if (lax) await database.transaction((transaction) => transaction.script(LAX_TABLES));
  const server = await startServer({
    database,
    migrationsFolder: MIGRATIONS,
    clientFolder: join(ROOT, 'dist', 'client'),
    config: { host: '127.0.0.1', port: 0, publicUrl: null, productName: 'Barometer', widgetSymbols },
    anonKey: 'sb_publishable_test',
    operatorToken: 'no operator comes here',
    operations: {},
    drawWorkerUrl: DRAW_WORKER_URL,
    now,
    log: silent,
  });
  const fresh = freshPages(browser);
  let opened: Page | undefined;
  let problems: string[] = [];

  /** Keeps what the page complains of from here on. */
  function listen(page: Page): void {
    const found: string[] = [];
    problems = found;
    page.on('console', (message) => {
      const isOurs = !message.text().startsWith('Service Worker registration blocked by Playwright');
      if (isOurs && ['error', 'warning'].includes(message.type())) found.push(message.text());
    });
    page.on('pageerror', (error) => found.push(String(error)));
    page.on('dialog', async (dialog) => {
      found.push(`A dialog asks: ${dialog.message()}`);
      await dialog.dismiss();
    });
  }

  async function open(options: OpenOptions = {}): Promise<Page> {
    const { now: shown = FRIDAY_EVENING, clock = 'fixed', until, before, ...others } = options;
    const page = await fresh({
      ...MEDIA,
      ...others,
      clock: clock === 'fixed' ? { standsAt: shown } : { startsAt: shown },
    });
    opened = page;
    listen(page);
    await before?.(page);
    await page.goto(server.url);
    await (until?.(page) ?? page.locator('main').getByRole('heading', { level: 2 }).first().waitFor());
    return page;
  }

  async function show(tables: MarketTables): Promise<Page> {
    await write(database, tables);
    if (opened === undefined) return open();
    const refresh = opened.getByRole('button', { name: 'Refresh', exact: true });
    await refresh.click();
    await refresh.and(opened.locator(':enabled')).waitFor();
    return opened;
  }

  return {
    url: server.url,
    database,
    put: (tables) => write(database, tables),
    open,
    show,
    problems: () => problems,
    close: async () => {
      await browser.close();
      await server.close();
      await remove();
    },
  };
}
