import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queryOnce } from '#database/port.ts';
import { makeToken, readSigningKey, type TokenPurpose } from '#mailer/subscribers/token.ts';
import { findingsOf, focused } from '../support/accessibility.ts';
import { allowComplaints } from '../support/complaints.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { lookAway } from '../support/opening.ts';
import { type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';

const ADDRESS = 'jane@example.org';
const host = shared(pageOverRows);
let key: Uint8Array;

beforeAll(async () => {
  await host.put(MIDDLING);
  key = await readSigningKey(host.database);
});
beforeEach(() => run('delete from public.email_subscribers'));

const run = <R extends Record<string, unknown>>(sql: string) => queryOnce<R>(host.database, sql);

const subscribers = () =>
  run<{ email: string; is_active: boolean; reference: string }>(
    'select email, is_active, reference from public.email_subscribers order by id',
  );
const areActive = async () => (await subscribers()).map(({ is_active }) => is_active);

const pathOf = (purpose: TokenPurpose, reference = '') => `${purpose}/${makeToken(key, purpose, reference)}`;

/** Adds a subscriber. Returns the path of its unsubscribe link. */
async function subscriberWith(purpose: TokenPurpose = 'unsubscribe'): Promise<string> {
  const confirmed = purpose === 'confirm' ? 'null' : 'now()';
  await run(`insert into public.email_subscribers (email, confirmed_at) values ('${ADDRESS}', ${confirmed})`);
  return pathOf(purpose, (await subscribers())[0]?.reference);
}

/** Opens another address of the server than that of the dashboard. */
const openLink = (at: string, options: Parameters<PageOverRows['open']>[0] = {}): Promise<Page> =>
  host.open({ ...options, at, until: async () => undefined });

// `src/server/app/subscription-routes.test.ts` has the responses of the server.
describe('the link to unsubscribe', () => {
  it('works by keyboard alone and without JavaScript', async () => {
    const page = await openLink(`${host.url}/${await subscriberWith()}`, { javaScriptEnabled: false });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ what: 'button Unsubscribe', outlined: true, seen: true });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
    expect(await areActive()).toEqual([false]);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ what: 'a Open the dashboard', outlined: true, seen: true });
    await page.keyboard.press('Enter');
    await page.waitForURL(`${host.url}/`);
  });

  it('reaches the server even if the page is stored for offline use', async () => {
    const path = await subscriberWith();
    const page = await host.open({ own: true, serviceWorkers: 'allow' });
    await lookAway(page);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const response = await page.goto(`${host.url}/${path}`);
    expect([response?.status(), response?.fromServiceWorker()]).toEqual([200, false]);
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
    expect(await areActive()).toEqual([false]);
    const kept = await page.evaluate(async () => {
      const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
      return (await Promise.all(caches.map((cache) => cache.keys()))).flat().map(({ url }) => url);
    });
    expect(kept.filter((url) => url.includes('unsubscribe'))).toEqual([]);
  });
});

describe('the linked pages', () => {
  it('are accessible in both themes and on the smallest phone', async () => {
    const question = await subscriberWith('confirm');
    const page = await openLink(`${host.url}/${question}`, { viewport: { width: 320, height: 640 } });
    const found: Record<string, unknown> = {};

    async function look(name: string): Promise<void> {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const { violations, undecided } = await findingsOf(page);
        found[`${name}, ${colorScheme}`] = [...violations, ...undecided];
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      const small = await page.evaluate(() =>
        [...document.querySelectorAll('button, a')].filter((one) => one.getBoundingClientRect().height < 44),
      );
      expect([name, width, small.length]).toEqual([name, 320, 0]);
    }

    await look('question');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: "You're subscribed!" }).waitFor();
    await look('answer');
    const leaving = pathOf('unsubscribe', (await subscribers())[0]?.reference);
    await page.goto(`${host.url}/${leaving}`);
    await look('choice of alerts');
    allowComplaints(page, /status of 404 .*\/confirm\/nothing$/);
    await page.goto(`${host.url}/confirm/nothing`);
    await look('invalid');
    expect(Object.entries(found).filter(([, findings]) => String(findings) !== '')).toEqual([]);
  });
});
