import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { requestOf } from '#queries/read-addresses.ts';
import { dashboardReads } from '#queries/table-reads.ts';
import { KEY, startTestServer } from '#tests/support/gate-server.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { MIGRATIONS } from '../support/embedded.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { openAwake, refreshed } from '../support/opening.ts';
import { writeTables } from '../support/page-over-rows.ts';
import { pagesForTests } from '../support/pages.ts';
import { copyData, startPostgres } from '../support/postgres.ts';
import { folderForTests, shared } from '../support/shared.ts';

/** Two of the page's own reads, whose responses do not depend on the day. */
const { metrics, indices } = dashboardReads(marketClockAt(0)).newest;
const METRICS = `/rest/v1/${metrics.table}?${requestOf(metrics).query}`;
const INDICES = `/rest/v1/${indices.table}?${requestOf(indices).query}`;
const NOTICE = 'The database is not responding.';
const THURSDAY = '2026-11-12T21:00:00Z';
const FRIDAY = '2026-11-13T21:00:00Z';

/** Rows of a session; the price of the first index identifies it. */
const rowsOf = (created_at: string, price: number) =>
  Object.fromEntries(
    Object.entries(MIDDLING).map(([table, rows]) => [
      table,
      rows.map((row) => ({ ...row, created_at, ...('price' in row && row.symbol === 'SPX' && { price }) })),
    ]),
  );

/** An instant of Friday, 13 November 2026, in UTC. */
const at = (time: string) => Date.parse(`2026-11-13T${time}Z`);

/* A server over a Postgres that stops, slows down, returns and is restored from an older backup. The test
   sets the clocks of server and browser. Each test continues from the previous one. */
describe('a page over a failing database', () => {
  const fresh = pagesForTests();
  const backup = join(folderForTests(), 'data');
  const postgres = shared(startPostgres);
  const database = shared(() => openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS }));
  const server = shared(async () => {
    await writeTables(database, rowsOf(THURSDAY, 6001.11));
    // Long enough that a busy machine does not count as a slow database.
    return startTestServer(database, { waitMs: 4_000, now: () => time });
  });
  let page: Page;
  let time = at('21:30:00');

  /** The responses of the page and of one of its reads. */
  async function responses() {
    const [html, read] = await Promise.all([
      fetch(server.url),
      fetch(`${server.url}${METRICS}`, { headers: { apikey: KEY } }),
    ]);
    const text = await html.text();
    const data = JSON.parse(/id="barometer-data">(.*?)<\/script>/s.exec(text)?.[1] ?? 'null');
    await read.text();
    return {
      statuses: [html.status, read.status],
      ages: [html.headers.get('age'), read.headers.get('age')],
      data: [data.at, data.isStale ?? false],
      price: /6,00\d\.\d\d/.exec(text)?.[0],
      hasNotice: text.includes(NOTICE),
    };
  }
  const readPrice = async () => {
    const response = await fetch(`${server.url}${INDICES}`, { headers: { apikey: KEY } });
    const rows: { symbol: string; price: number }[] = await response.json();
    return rows.find(({ symbol }) => symbol === 'SPX')?.price;
  };
  const current = (when: string, price: string) => ({
    statuses: [200, 200],
    ages: [null, null],
    data: [at(when), false],
    price,
    hasNotice: false,
  });
  const stale = (when: string, age: string, price: string) => ({
    statuses: [200, 200],
    ages: [age, age],
    data: [at(when), true],
    price,
    hasNotice: true,
  });

  /** Sets the clocks of server and browser. */
  async function setTime(to: string): Promise<void> {
    time = at(to);
    await page.clock.setFixedTime(time);
  }

  async function open(): Promise<void> {
    page = await fresh({ clock: { standsAt: time }, timezoneId: 'UTC', reducedMotion: 'reduce' });
    await openAwake(page, server.url);
  }

  const price = () => page.getByRole('region', { name: 'Market indices' }).innerText();
  /** The page's time of update, its time until the next refresh, and its notice (null without one). */
  async function told() {
    const [, updated, next] =
      /Last updated (.*) your time · Next refresh (.*)/.exec(
        await page.locator('.header-updated').innerText(),
      ) ?? [];
    const notice = page.locator('main > .chip-notice');
    return { updated, next, notice: (await notice.count()) === 0 ? null : await notice.innerText() };
  }
  const noticeOf = (when: string) => `${NOTICE} Showing what was read ${when}.`;

  it('shows the time of the visit and no notice before the outage', async () => {
    await open();
    expect(await told()).toEqual({ updated: '21:30', next: '60:00', notice: null });
    expect(await price()).toContain('6,001.11');
    await setTime('22:09:00');
    await writeTables(database, rowsOf(THURSDAY, 6002.22));
    await expect.poll(responses).toEqual(current('22:09:00', '6,002.22'));
    await expect.poll(readPrice).toBe(6002.22);
    await refreshed(page);
    expect(await told()).toEqual({ updated: '22:09', next: '60:00', notice: null });
    expect(await price()).toContain('6,002.22');
  });

  it('shows the time of its last current numbers with a notice during the outage [R5]', async () => {
    await postgres.restart(async () => {
      copyData(postgres.data, backup);
      await setTime('22:13:24');
      await expect.poll(responses).toEqual(stale('22:09:00', '264', '6,002.22'));

      await refreshed(page);
      const shown = { updated: '22:09', next: '60:00', notice: noticeOf('on Fri 13 Nov at 22:09 your time') };
      expect(await told()).toEqual(shown);
      expect(await page.getByRole('status').first().innerText()).toBe(noticeOf('at 22:09'));
      expect(await price()).toContain('6,002.22');

      await open();
      await expect.poll(told).toEqual(shown);
      page = await fresh({ javaScriptEnabled: false });
      await page.goto(server.url);
      const readAt = 'Fri 13 Nov 2026 22:09 UTC';
      expect(await page.locator('main > .chip-notice').innerText()).toBe(noticeOf(`on ${readAt}`));
      expect(await page.locator('.header-updated').innerText()).toBe(`Last updated ${readAt}`);
      await open();
      await expect.poll(told).toEqual(shown);
    });
  });

  it('shows the time of the next refresh without a notice after the outage [R5]', async () => {
    await setTime('22:20:00');
    await expect.poll(responses).toEqual(current('22:20:00', '6,002.22'));
    expect((await told()).notice).toBe(noticeOf('on Fri 13 Nov at 22:09 your time'));
    await refreshed(page);
    expect(await told()).toEqual({ updated: '22:20', next: '60:00', notice: null });
    await writeTables(database, rowsOf(FRIDAY, 6003.33));
    await expect.poll(responses).toEqual(current('22:20:00', '6,003.33'));
    await refreshed(page);
    expect(await price()).toContain('6,003.33');
  });

  it('shows the time of its oldest numbers with a notice while the database is slow [R5]', async () => {
    await database.transaction(async (transaction) => {
      await transaction.query('lock table public.market_metrics in access exclusive mode');
      // Another session commits, so that the release is no longer current.
      await postgres.run("update public.market_indices set price = 6004.44 where symbol = 'SPX'");
      await expect.poll(async () => (await responses()).ages).toEqual(['0', '0']);
      await setTime('22:25:00');
      expect(await responses()).toEqual(stale('22:20:00', '300', '6,003.33'));
      await refreshed(page);
      expect(await told()).toEqual({
        updated: '22:20',
        next: '60:00',
        notice: noticeOf('on Fri 13 Nov at 22:20 your time'),
      });
    });
    // More than a minute later, the release whose build began during the lock is no longer current. If that build ran out of
    // time after the lock, the next one begins a second later.
    await setTime('22:26:30');
    const aSecondLater = async () => {
      time += 1_000;
      await page.clock.setFixedTime(time);
      return responses();
    };
    await expect
      .poll(aSecondLater)
      .toMatchObject({ statuses: [200, 200], ages: [null, null], price: '6,004.44', hasNotice: false });
    await refreshed(page);
    expect(await told()).toEqual({ updated: '22:26', next: '60:00', notice: null });
    expect(await price()).toContain('6,004.44');
    await page.getByText('As of Fri 13 Nov 2026, close', { exact: true }).waitFor();
    await page.getByText('Our own chart, as of Fri 13 Nov 2026, close').waitFor();
  });

  it('shows the older session after the restore of a backup [R5]', async () => {
    // The server must not serve its release after the restore.
    expect(await readPrice()).toBe(6004.44);
    await postgres.restart(async () => {
      rmSync(postgres.data, { recursive: true });
      copyData(backup, postgres.data);
    });
    await setTime('22:40:00');
    await expect.poll(responses).toEqual(current('22:40:00', '6,002.22'));
    // The server checks the data version once a second.
    await expect.poll(readPrice).toBe(6002.22);
    expect(await price()).toContain('6,004.44');
    await refreshed(page);
    const restored = async () => {
      expect(await told()).toEqual({ updated: '22:40', next: '60:00', notice: null });
      expect(await price()).toContain('6,002.22');
      await page.getByText('As of Thu 12 Nov 2026, close', { exact: true }).waitFor();
      await page.getByText('1 session behind').waitFor();
    };
    await restored();
    await page.getByText('Our own chart, as of Thu 12 Nov 2026, close').waitFor();
    await open();
    await restored();
  });
});
