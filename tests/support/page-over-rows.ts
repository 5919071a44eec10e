import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Database } from '#database/port.ts';
import { MARKET_TABLES, type MarketTableName, STOCKS_TABLE } from '#schema/tables.ts';
import type { RunningServer, ServerOptions } from '#server/app/start-server.ts';
import { complaintsOf } from './complaints.ts';
import { embeddedForTest } from './embedded.ts';
import { type FreshOptions, freshPages } from './fresh-pages.ts';
import { startTestServer } from './gate-server.ts';
import { LAX_TABLES } from './lax-tables.ts';
import { awake, refreshed, withoutData } from './opening.ts';
import { openBrowser } from './pages.ts';

/** A row to insert: column names to values. A number may be text, which 'NaN' requires. */
export type WrittenRow = Readonly<Record<string, unknown>>;
export type MarketTables = Partial<
  Readonly<Record<MarketTableName | typeof STOCKS_TABLE, readonly WrittenRow[]>>
>;

/** Friday evening, half an hour after the closing bell of the rows in `market-tables.ts`. */
export const FRIDAY_EVENING = '2026-11-13T21:30:00.000Z';

const MEDIA = { colorScheme: 'dark', reducedMotion: 'reduce' } as const;

interface OpenOptions extends Omit<FreshOptions, 'clock'> {
  /** Time of the server's and the browser's clock (ISO). */
  now?: string;
  /** Time of the browser's clock (ISO), if it differs from the server's. */
  browserNow?: string;
  /** Address of another server for the page: see `serve`. */
  at?: string;
  /** Kind of clock: stopped (with timers running) or moved by `page.clock`. */
  clock?: 'fixed' | 'movable';
  /** Source of the page's data: its markup, or its own reads. */
  data?: 'in the page' | 'read by it';
  /** Condition for the page to count as open; by default that it is interactive. */
  until?: (page: Page) => Promise<unknown>;
  /** Load state to wait for before `until`; by default everything is loaded. */
  waitUntil?: 'load' | 'commit';
  /** Runs before the page loads: to route requests or to add scripts. */
  before?: (page: Page) => Promise<unknown>;
}

export interface PageOverRows {
  url: string;
  database: Database;
  /** Runs `write`, which changes the market, lets the servers look for it, and waits until the page was read after it. */
  commit(write: () => Promise<unknown>): Promise<void>;
  /** Replaces the contents of the market tables with the given rows. */
  put(tables: MarketTables): Promise<void>;
  /** Opens the page as a new visitor. Closes or reuses the previous page. */
  open(options?: OpenOptions): Promise<Page>;
  /** Opens the page again for the same visitor, at half the cost of a new one. */
  reopen(): Promise<Page>;
  /** Refreshes the open page and waits until that has finished. */
  refresh(): Promise<void>;
  /** Shows the page over these rows. Refreshes an open page, which is faster than opening it again. */
  show(tables: MarketTables): Promise<Page>;
  /** Starts another server over the same rows with these settings. It stops when this server stops. */
  serve(config: Partial<ServerOptions['config']>): Promise<RunningServer>;
  /** Sets the server's clock to this time (ISO), and waits until its page is from that time. */
  setClock(now: string): Promise<void>;
  /** Warnings, errors, exceptions and dialogs of the open page. */
  problems(): readonly string[];
  close(): Promise<void>;
}

/** Replaces the contents of the market tables with these rows, in one transaction. */
export async function writeTables(database: Database, tables: MarketTables): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      `truncate ${[...MARKET_TABLES, STOCKS_TABLE].map((name) => `public.${name}`).join(', ')}`,
    );
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

/** Longest time that a server caches a page (ms). */
const KEPT_FOR = 60_000;

/** A clock of the server that runs from the time it was set to. */
function settableClock() {
  let set = { now: Date.parse(FRIDAY_EVENING), at: performance.now() };
  const now = () => Math.round(set.now + performance.now() - set.at);
  return {
    now,
    set: (instant: string) => {
      set = { now: Date.parse(instant), at: performance.now() };
    },
  };
}

/** Time at which the data of the page at `url` were read (epoch ms); null for a page without data. */
export async function readAt(url: string): Promise<number | null> {
  const html = await (await fetch(url)).text();
  const json = /id="barometer-data">(.*?)<\/script>/s.exec(html)?.[1];
  return json === undefined ? null : JSON.parse(json).at;
}

/**
 * The built page, served by the server's own code over a migrated embedded database without a collector, in a real
 * browser. With `lax` the tables have no checks: see `lax-tables.ts`.
 */
export async function pageOverRows({ lax = false } = {}): Promise<PageOverRows> {
  const clock = settableClock();
  const [{ database, remove }, browser] = await Promise.all([embeddedForTest(), openBrowser()]);
  if (lax) await database.transaction((transaction) => transaction.script(LAX_TABLES));
  const servers: RunningServer[] = [];
  const looks = new Set<() => void>();

  async function serve(config: Partial<ServerOptions['config']>): Promise<RunningServer> {
    const started = await startTestServer(database, {
      config: { widgetSymbols: '', ...config },
      every: (ms, look) => {
        looks.add(look);
        const timer = setInterval(look, ms).unref();
        return () => clearInterval(timer);
      },
      now: clock.now,
    });
    servers.push(started);
    return started;
  }

  const server = await serve({});
  const fresh = freshPages(browser);
  let opened: Page | undefined;

  /**
   * If the clock changes during a request, the request seems to last for hours and the server sends the previous page.
   */
  async function setClock(instant: string): Promise<void> {
    clock.set(instant);
    const age = async () => clock.now() - ((await readAt(server.url)) ?? 0);
    for (let ms = await age(); ms < 0 || ms > KEPT_FOR; ) ms = await age();
  }

  let last = FRIDAY_EVENING;

  async function open(options: OpenOptions = {}): Promise<Page> {
    const { now = FRIDAY_EVENING, browserNow = now, clock: runs = 'fixed', ...rest } = options;
    const {
      at = server.url,
      data = 'in the page',
      waitUntil = 'load',
      until = awake,
      before,
      ...others
    } = rest;
    if (now !== last) await setClock(now);
    last = now;
    const page = await fresh({
      ...MEDIA,
      ...others,
      clock: runs === 'fixed' ? { standsAt: browserNow } : { startsAt: browserNow },
    });
    opened = page;
    if (data === 'read by it') await withoutData(page, at);
    await before?.(page);
    await page.goto(at, { waitUntil });
    await until(page);
    return page;
  }

  async function reopen(): Promise<Page> {
    if (opened === undefined) return open();
    await opened.reload();
    await awake(opened);
    return opened;
  }

  async function commit(write: () => Promise<unknown>): Promise<void> {
    const before = await readAt(server.url);
    await write();
    for (const look of looks) look();
    while ((await readAt(server.url)) === before) await nextTurn();
  }

  const put = (tables: MarketTables) => commit(() => writeTables(database, tables));

  async function show(tables: MarketTables): Promise<Page> {
    await put(tables);
    if (opened === undefined) return open();
    await refreshed(opened);
    return opened;
  }

  return {
    url: server.url,
    database,
    commit,
    put,
    open,
    reopen,
    refresh: async () => {
      if (opened !== undefined) await refreshed(opened);
    },
    show,
    serve,
    setClock,
    problems: () => (opened === undefined ? [] : complaintsOf(opened)),
    close: async () => {
      await browser.close();
      for (const started of servers) await started.close();
      await remove();
    },
  };
}
