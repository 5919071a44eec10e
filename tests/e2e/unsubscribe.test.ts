import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request as forward } from 'node:http';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queryOnce } from '#database/port.ts';
import type { SignalInputs } from '#domain/signal/inputs.ts';
import { recordDecision } from '#mailer/decide/stored-decisions.ts';
import { openOutbox } from '#mailer/deliver/outbox.ts';
import { makeToken, readSigningKey, type TokenPurpose } from '#mailer/subscribers/token.ts';
import { findingsOf, focused } from '../support/accessibility.ts';
import { allowComplaints } from '../support/complaints.ts';
import { mailSettings, sendNow } from '../support/deliveries.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { awake, lookAway } from '../support/opening.ts';
import { type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import { folderForTests, shared } from '../support/shared.ts';
import { SATURDAY, sampleSignal } from '../support/weekly-signal.ts';

const ADDRESS = 'jane@example.org';
const NOTHING = { session: null, parts: [] };
const INPUTS: SignalInputs = {
  ...{ fearGreed: NOTHING, overallStrength: NOTHING, marketExposure: NOTHING, sentiment: NOTHING },
  ...{ advancedIndicators: NOTHING, sectors: NOTHING, breadth: NOTHING },
};

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

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

async function subscribeOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Email Address' }).fill(ADDRESS);
  await Promise.all([
    dialog.getByText("You're subscribed!").waitFor(),
    dialog.getByRole('button', { name: 'Subscribe', exact: true }).click(),
  ]);
}

describe('the link to unsubscribe', () => {
  it('ends every subscription of the address, including later subscriptions', async () => {
    const page = await host.open();
    await subscribeOn(page);
    const link = `${host.url}/${pathOf('unsubscribe', (await subscribers())[0]?.reference)}`;
    await page.goto(link);
    await page.reload();
    expect(await heading(page)).toBe('Unsubscribe from the weekly signal?');
    expect(await areActive()).toEqual([true]);

    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
    expect(page.url()).toBe(link);
    expect(await areActive()).toEqual([false]);

    await page.getByRole('link', { name: 'Open the dashboard' }).click();
    await awake(page);
    await subscribeOn(page);
    expect(await areActive()).toEqual([false, true]);
    await page.goto(link);
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
    expect(await areActive()).toEqual([false, false]);
    expect(host.problems()).toEqual([]);
  });

  it('also turns the alerts on and off, without JavaScript', async () => {
    const link = `${host.url}/${await subscriberWith()}`;
    const page = await openLink(link, { javaScriptEnabled: false });
    const choice = page.getByRole('checkbox', { name: 'Also tell me when the verdict changes' });
    expect(await choice.isChecked()).toBe(false);
    await choice.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Saved' }).waitFor();
    await page.goto(link);
    expect(await choice.isChecked()).toBe(true);
    expect(await run('select alerts, is_active from public.email_subscribers')).toEqual([
      { alerts: true, is_active: true },
    ]);
  });

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

  it('posts to its own address behind a proxy that removes a folder', async () => {
    const path = await subscriberWith();
    const proxy = await proxyOf(host.url, '/market');
    const url = `${proxy.url}/market`;
    const page = await openLink(`${url}/${path}`);
    try {
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
      expect(page.url()).toBe(`${url}/${path}`);
      const home = page.getByRole('link', { name: 'Open the dashboard' });
      expect(await home.evaluate((link: HTMLAnchorElement) => link.href)).toBe(`${url}/`);
      expect(await areActive()).toEqual([false]);
    } finally {
      await page.goto('about:blank');
      await proxy.close();
    }
  });
});

describe('the links of a mail', () => {
  const folder = folderForTests();

  /** Sends the signal of a week to all subscribers and returns the mails in the outbox. */
  async function sendWeek(weeksOn: number): Promise<Email[]> {
    const now = SATURDAY + weeksOn * 7 * 86_400_000;
    const week = new Date(now - 5 * 86_400_000).toISOString().slice(0, 10);
    const mail = sampleSignal();
    const decision = {
      ...({
        status: 'issued',
        session: '2026-11-13',
        source: null,
        sp500Close: null,
        inputs: INPUTS,
      } as const),
      ...{ mail, verdict: mail.verdict, score: 54, range: null },
    };
    const settings = mailSettings({ publicUrl: host.url, outboxFolder: join(folder, week) });
    await recordDecision(host.database, { week, decision, frame: settings, now });
    await sendNow(host.database, openOutbox(settings), {
      ...{ settings, signingKey: key, now: () => now, makeMail: undefined },
    });
    const files = readdirSync(settings.outboxFolder).map((name) => join(settings.outboxFolder, name));
    return Promise.all(files.map((file) => PostalMime.parse(readFileSync(file))));
  }

  const to = (mails: readonly Email[], address: string) => {
    const mail = mails.find((one) => one.to?.[0]?.address === address);
    if (mail === undefined) throw new Error(`The outbox has no mail to ${address}.`);
    return mail;
  };

  it('unsubscribe in the browser and by a bare POST, so that the next send skips both [S2.39]', async () => {
    await run("insert into public.email_subscribers (email) values ('a@x.co'), ('b@x.co'), ('c@x.co')");
    const mails = await sendWeek(0);
    expect(mails).toHaveLength(3);

    const page = await openLink('about:blank');
    await page.setContent(to(mails, 'a@x.co').html ?? '');
    await page.getByRole('link', { name: 'Unsubscribe' }).click();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You have been unsubscribed' }).waitFor();
    expect(await areActive()).toEqual([false, true, true]);

    const { headers, text = '' } = to(mails, 'b@x.co');
    const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
    const url = /^<(http.*)>$/.exec(header('list-unsubscribe'))?.[1] ?? '';
    expect(text).toContain(url);
    expect(await postBare(url, header('list-unsubscribe-post'))).toBe(200);
    expect(await areActive()).toEqual([false, false, true]);

    expect((await sendWeek(1)).map((mail) => mail.to?.[0]?.address)).toEqual(['c@x.co']);
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

/** Posts as mail providers do. Returns the status. */
async function postBare(url: string, body: string): Promise<number> {
  const parameters = ['-s', '-o', '-', '-w', '\\n%{http_code}', '-X', 'POST', '-d', body, url];
  const shown = await new Promise<string | null>((resolve, reject) => {
    execFile('curl', parameters, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT') resolve(null);
      else reject(error);
    });
  });
  if (shown !== null) return Number(shown.split('\n').at(-1));
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return (await fetch(url, { method: 'POST', body, headers, redirect: 'error' })).status;
}

/**
 * A proxy that serves a server below a folder of its own address. It removes the folder from the path of each request.
 */
const proxyOf = (target: string, folder: string) =>
  listenOnLoopback((request, response) => {
    const { method, headers, url = '' } = request;
    if (!url.startsWith(`${folder}/`)) {
      response.writeHead(404).end();
      return;
    }
    const onward = forward(target, { path: url.slice(folder.length), method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
