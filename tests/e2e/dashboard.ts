import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { awake, lookAway, openAwake, refreshed } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { WAYS, type Way, type WayToServe } from '../support/ways.ts';

const browser = shared(openBrowser);

const oneDecimal = (value: number | undefined) => (value ?? Number.NaN).toFixed(1);

/** Browser messages while the server of the page is stopped: its requests, files and worker fail. */
const SERVER_AWAY = [
  FAILED_REQUEST,
  /^error: Failed to load resource: net::ERR_(CONNECTION_REFUSED|EMPTY_RESPONSE)/,
  /^error: (An unknown error occurred|A bad HTTP response code \(503\) was received) when fetching the script/,
];

/** Texts of the page's sections in the deployments tested so far. */
const said: string[][] = [];

/** Tests the dashboard in these deployments. */
export const dashboardIn = (names: readonly WayToServe['name'][]) =>
  describe.each(WAYS.filter(({ name }) => names.includes(name)))('$name', ({ name, isThere, start }) => {
    /** Defines a test of a guarantee that only our own server gives. Defines nothing for a static build. */
    const itServed = name === 'static build over PostgREST' ? () => undefined : it;
    let way: Way;
    let page: Page;

    beforeAll(async () => {
      if (!isThere()) return;
      way = await start();
      page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
      await page.goto(way.pageUrl);
      // A static build reads its data first, and its placeholders are laid out everywhere too.
      await page.getByText('Signal Breakdown').waitFor();
      await awake(page);
    });
    afterAll(() => way?.stop());
    beforeEach((context) => {
      if (!isThere()) context.skip('PostgREST is not installed on this machine');
    });

    /** The newest rows of a table, read as an anonymous visitor. */
    async function newest<Row = Record<string, number>>(table: string, limit = 1): Promise<Row[]> {
      const address = `${way.restUrl}/${table}?select=*&order=created_at.desc&limit=${limit}`;
      const response = await fetch(address, { headers: { apikey: way.anonKey } });
      expect(response.status).toBe(200);
      return (await response.json()) as Row[];
    }

    async function first(table: string): Promise<Record<string, number>> {
      const [row] = await newest(table);
      if (row === undefined) throw new Error(`${table} is empty.`);
      return row;
    }

    /** The card with this heading. */
    const card = (heading: string) => page.getByRole('region', { name: heading });

    describe('the dashboard', () => {
      it('shows its title, its clocks and the mark of demonstration data', async () => {
        await expect(page.title()).resolves.toMatch(/^Barometer Dashboard/);
        await page.getByText('Real-time market analysis and insights').waitFor();
        await page.getByText(/^Last updated \d/).waitFor();
        await page.getByText(/Next refresh (59:\d\d|60:00)/).waitFor();
        await page.getByRole('banner').getByText('Demo data').waitFor();
      });

      // `src/web/app/app.test.tsx` has the other numbers of the page.
      it('shows the numbers in the database [S1.2] [S2.29]', async () => {
        const fearGreed = await first('fear_greed_index');
        // The code of the gauge is a file of its own.
        await page.locator('.gauge-value').waitFor();
        const panel = await card('Fear & Greed Index').innerText();
        for (const component of ['index_value', 'market_momentum', 'safe_haven_demand'])
          expect(panel).toContain(oneDecimal(fearGreed[component]));
        const metrics = await first('market_metrics');
        expect(await card('Market Exposure').innerText()).toContain(oneDecimal(metrics.market_exposure));
        await page.getByText('Advanced Market Indicators, Sectors & Breadth').click();
        await page.locator('#advanced-content').waitFor();
        const advanced = await card('Advanced Market Indicators, Sectors & Breadth').innerText();
        const sectors = await newest<{ sector: string; strength: number }>('sector_strength', 11);
        expect(sectors).toHaveLength(11);
        for (const { sector, strength } of sectors)
          for (const shown of [sector, oneDecimal(strength)]) expect(advanced).toContain(shown);
        expect(await page.locator('body').innerText()).not.toMatch(/NaN|undefined|Invalid Date/);
      });

      it('has the same text in every deployment', async () => {
        // Excludes the provider's frames and their fallbacks, which load at different times.
        const sections = await page.locator('.sections > :not(.widget, :has(.widget))').allInnerTexts();
        // Only a server of ours has a badge to share and, over a database with a record, weeks to draw and links to it.
        const ofRecord = / Demo record since .*$|\nShare$|^26 weeks\n|^4-week S&P 500 outlook of .*\n/gm;
        // The deployments are visited one after the other.
        const age = / · (?:just now|\d+ \w+ ago)$/gm;
        said.push(sections.map((text) => text.replace(ofRecord, '').replace(age, '')));
        expect(sections.length).toBeGreaterThanOrEqual(8);
        expect(said.at(-1)).toEqual(said[0]);
      });

      it('draws the timeline of a year', async () => {
        await page.getByRole('tab', { name: 'Timeline' }).click();
        const timeline = page.getByRole('slider', { name: /Fear & Greed index/ });
        await timeline.focus();
        await page.keyboard.press('End');
        const row = await first('fear_greed_index');
        expect(await timeline.getAttribute('aria-valuetext')).toContain(oneDecimal(row.index_value));
        await page.keyboard.press('ArrowLeft');
        expect(Number(await timeline.getAttribute('aria-valuenow'))).toBe(
          Number(await timeline.getAttribute('aria-valuemax')) - 1,
        );
        expect(Number(await timeline.getAttribute('aria-valuemax'))).toBeGreaterThan(240);
      });
    });

    describe('refreshing', () => {
      it('shows newly committed rows', async () => {
        await way.sql('update public.market_metrics set market_exposure = 12.3, overall_strength = 87.6');
        // Over Postgres, the server checks for commits once a second.
        const refreshedExposure = async () => {
          await refreshed(page);
          return card('Market Exposure').innerText();
        };
        await expect.poll(refreshedExposure).toContain('12.3');
        await card('Overall Strength').getByText('87.6').first().waitFor();
        await page.getByText(/^Last updated \d/).waitFor();
      });
    });

    describe('subscribing', () => {
      async function subscribe(address: string): Promise<void> {
        await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
        await page.getByLabel('Email Address').fill(address);
        await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
      }

      it('accepts an address and shows the confirmation [S1.3] [S2.3]', async () => {
        await Promise.all([page.getByText("You're subscribed!").waitFor(), subscribe('visitor@example.org')]);
        await page.getByText("You'll receive the market signal in your inbox every week.").waitFor();
        // The dialog closes by itself after two seconds: see `section-subscribe.test.ts`.
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      });

      it('recognises an active address in any letter case [S5.4] [S8.4] [R11]', async () => {
        allowComplaints(page, FAILED_REQUEST);
        await subscribe(' Visitor@Example.org ');
        await page.getByText('This email is already subscribed').waitFor();
      });

      itServed('writes no address to the log', () => {
        expect(way.server?.output().toLowerCase()).not.toContain('visitor');
      });
    });

    describe('stored data', () => {
      let before: Record<string, number>[] = [];

      it('keeps the page with its data available while the network is down', async () => {
        const own = await browser.newPage({ reducedMotion: 'reduce' });
        const complaints: string[] = [];
        own.on('console', (message) => {
          if (/Content Security Policy|service.?worker/i.test(message.text()))
            complaints.push(message.text());
        });
        await openAwake(own, way.pageUrl);
        await lookAway(own);
        await own.waitForFunction(() => navigator.serviceWorker.controller !== null);
        before = await newest('fear_greed_index', 1000);
        await way.away(async () => {
          for (const each of [own, page]) allowComplaints(each, ...SERVER_AWAY);
          // Late enough for the page to request newer data by itself.
          await own.clock.setFixedTime(Date.now() + 10 * 60_000);
          await own.reload();
          await own.getByText(/^Refresh failed at .* Showing what was read on .* ago\./).waitFor();
          await own.getByText('Signal Breakdown').waitFor();
          await own.getByRole('banner').getByText('Demo data').waitFor();
        });
        expect(complaints).toEqual([]);
        await own.close();
      });

      itServed('is answered after the server was stopped and started again, as it was for that', async () => {
        const after = await newest('fear_greed_index', 1000);
        const known = new Map(after.map((row) => [row.id, row]));
        expect(before.length).toBeGreaterThan(250);
        expect(before.filter((row) => known.get(row.id)?.index_value !== row.index_value)).toEqual([]);
      });
    });
  });
