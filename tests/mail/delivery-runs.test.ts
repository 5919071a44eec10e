import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { claimDue } from '#mailer/deliver/deliveries.ts';
import type { SendOptions, SendProgress } from '#mailer/deliver/send-due.ts';
import type { MailTransport } from '#mailer/deliver/send-mails.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { eraseSubscriber } from '#mailer/subscribers/erase.ts';
import { unsubscribe } from '#mailer/subscribers/subscription.ts';
import { messageIdOf, readToken } from '#mailer/subscribers/token.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { addresses, addSubscribers, mailSettings } from '#tests/support/deliveries.ts';
import { mailRunsOfTheseTests } from '#tests/support/mail-runs.ts';
import { sampleSignal } from '#tests/support/weekly-signal.ts';

const runs = mailRunsOfTheseTests();
const { database, query, issue, issueTo, send, received } = runs;

const statuses = async () =>
  Object.fromEntries((await runs.stored()).map(({ email, status }) => [email, status]));

const claim = (holder: string, count: number) =>
  claimDue(database, { channel: 'mail', holder, now: runs.now, count });

/** Lets all claims expire. */
const expireClaims = () =>
  query("update mailer.deliveries set claimed_until = now() - interval '1 second' where status = 'sending'");

const referenceOf = async (email: string) => {
  const [row] = await query<{ reference: string }>(
    'select reference from public.email_subscribers where email = $1',
    [email],
  );
  return row?.reference ?? '';
};

/** Runs `work` once, before the server replies to the first mail. */
function duringFirstMail(work: (to: string) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    runs.server.meanwhile = async ({ to }) => {
      runs.server.meanwhile = () => undefined;
      await work(to).then(() => resolve(), reject);
    };
  });
}

describe('a run', () => {
  it('sends the current mails when it is aborted, and leaves the rest to the next run', async () => {
    await issueTo(...addresses(30));
    const stop = new AbortController();
    runs.server.meanwhile = () => {
      if (runs.server.mails.length === 7) stop.abort();
    };
    const first = await send({ signal: stop.signal });
    expect(first.sent).toBe(runs.server.mails.length);
    expect(first.sent).toBeLessThan(7 + runs.connections());
    expect(first).toMatchObject({ later: 0, left: 30 - first.sent, nextDueAt: runs.now, unavailable: null });
    expect(await send()).toMatchObject({ sent: 30 - first.sent, left: 0 });
    expect(received()).toEqual(addresses(30).sort());
  });

  it('sends no mail if it is aborted before it starts', async () => {
    await issueTo(...addresses(3));
    expect(await send({ signal: AbortSignal.abort() })).toMatchObject({ sent: 0, left: 3 });
    expect(runs.server.connections).toBe(0);
  });

  it('reports how many mails it has sent', async () => {
    await issueTo(...addresses(12));
    const steps: SendProgress[] = [];
    await send({ report: (step) => steps.push(step) });
    expect(steps).toEqual(addresses(12).map((_, at) => ({ done: at + 1, total: 12 })));
  });

  it('takes over the expired claims of a killed process', async () => {
    await issueTo(...addresses(5));
    await claim('a killed process', 5);
    expect(await statuses()).toEqual(Object.fromEntries(addresses(5).map((to) => [to, 'sending'])));
    expect(await send()).toMatchObject({ sent: 0, left: 5 });
    await expireClaims();
    expect(await send()).toMatchObject({ sent: 5, left: 0 });
  });

  it.each([
    { outcome: { result: 'refused', reply: null, isAddress: false }, sent: 0 },
    { outcome: { result: 'later', reply: '450', reason: 'Come back.' }, sent: 0 },
    { outcome: { result: 'sent' }, sent: 1 },
  ] as const)(
    'reports a delivery that another process has claimed since only if it was sent: $outcome.result',
    async ({ outcome, sent }) => {
      await issueTo('reader@example.com');
      const slow: MailTransport = {
        connections: 1,
        send: async () => {
          await expireClaims();
          await claim('other', 1);
          return outcome;
        },
        close: async () => undefined,
      };
      expect(await send({ over: slow })).toMatchObject({
        ...{ sent, refused: 0, later: 0, expired: 0, left: 1, problems: [] },
      });
      expect(await statuses()).toEqual({ 'reader@example.com': 'sending' });
    },
  );

  it('expires claimed mails of a killed process that are too old to send', async () => {
    await issueTo(...addresses(2));
    await claim('killed', 1);
    await expireClaims();
    runs.now += 48 * 3_600_000;
    expect(await send()).toMatchObject({ sent: 0, left: 0 });
    expect(Object.values(await statuses())).toEqual(['expired', 'expired']);
    expect(runs.server.connections).toBe(0);
  });

  it('claims the mail first that has been due longest', async () => {
    await issueTo(...addresses(3));
    await query(
      `update mailer.deliveries set due_at = due_at - (id % 3) * interval '1 minute' where status = 'pending'`,
    );
    const longest = await query<{ id: number }>('select id from mailer.deliveries order by due_at');
    for (const { id } of longest) {
      const { deliveries } = await claim('one', 1);
      expect(deliveries.map((delivery) => delivery.id)).toEqual([id]);
    }
  });
});

describe('a subscriber during a run', () => {
  it('gets no mail after unsubscribing', async () => {
    await issueTo(...addresses(12));
    const address = 'reader-11@example.com';
    const left = duringFirstMail(async () => unsubscribe(database, await referenceOf(address)));
    expect(await send()).toMatchObject({ sent: 11, left: 0 });
    await left;
    expect(received()).not.toContain(address);
    expect(await statuses()).toMatchObject({ [address]: 'skipped', 'reader-10@example.com': 'sent' });
  });

  it('gets no second attempt after unsubscribing', async () => {
    await issueTo('reader@example.com');
    runs.server.faults = [{ at: 'recipient', what: '450 Later' }];
    await send();
    runs.server.faults = [];
    // Simulates a process that was killed during the second attempt. Unsubscribing itself skips only deliveries that
    // are pending.
    await query("update mailer.deliveries set status = 'sending', claimed_by = 'a killed process'");
    await expireClaims();
    await unsubscribe(database, await referenceOf('reader@example.com'));
    runs.now += 60_000;
    expect(await send()).toMatchObject({ sent: 0, left: 0 });
    expect(await statuses()).toEqual({ 'reader@example.com': 'skipped' });
    expect(runs.server.mails).toEqual([]);
  });

  it('gets the mail that was being sent at the time', async () => {
    await issueTo('reader@example.com');
    const left = duringFirstMail(async (to) => unsubscribe(database, await referenceOf(to)));
    expect(await send()).toMatchObject({ sent: 1, left: 0 });
    await left;
    expect(await statuses()).toEqual({ 'reader@example.com': 'sent' });
  });

  it('leaves no delivery when erased', async () => {
    await issueTo(...addresses(12));
    const erased = duringFirstMail(async (to) => {
      await eraseSubscriber(database, to);
      await eraseSubscriber(database, 'reader-11@example.com');
    });
    expect(await send()).toMatchObject({ sent: 11, refused: 0, left: 0, problems: [] });
    await erased;
    expect(Object.values(await statuses())).toEqual(Array(10).fill('sent'));
  });
});

describe('a failing database transaction', () => {
  /**
   * A database in which chosen durable transactions fail. These transactions record outcomes. `isFailing`
   * gets the number of the transaction, from 1.
   */
  function failing(isFailing: (count: number) => boolean): Database {
    let records = 0;
    return {
      ...database,
      transaction: (work, options) => {
        if (options?.durable) records += 1;
        if (options?.durable && isFailing(records)) return Promise.reject(new Error('The database is down.'));
        return database.transaction(work, options);
      },
    };
  }

  let tick = () => {};
  const every: SendOptions['every'] = (_, renew) => {
    tick = renew;
    return () => undefined;
  };

  it('is retried without a second copy of the mail', async () => {
    await issueTo(...addresses(3));
    let failures = 0;
    const database = failing((count) => count === 2 && ++failures > 0);
    expect(await send({ from: database, every })).toMatchObject({ sent: 3 });
    expect(failures).toBe(1);
    tick();
    expect(received()).toEqual(addresses(3).sort());
  });

  it('is retried at each renewal of the claims', async () => {
    await issueTo('reader@example.com');
    let failures = 0;
    const database = failing((count) => {
      if (count > 5) return false;
      failures += 1;
      return true;
    });
    const sending = send({ from: database, every });
    await expect
      .poll(() => {
        tick();
        return failures;
      })
      .toBe(5);
    tick();
    expect(await sending).toMatchObject({ sent: 1, left: 0 });
    expect(runs.server.mails).toHaveLength(1);
  });

  it('makes the run fail after the current mails if each transaction fails', async () => {
    await issueTo(...addresses(9));
    const stop = new AbortController();
    const database = failing(() => {
      stop.abort();
      return true;
    });
    const sending = send({ from: database, signal: stop.signal });
    await expect(sending).rejects.toThrow('The database is down.');
    expect(runs.server.mails.length).toBeLessThanOrEqual(runs.connections());
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['pending']));
  });
});

describe('a composed mail', () => {
  const settings = mailSettings({
    smtpUrl: 'smtp://127.0.0.1',
    postalAddress: '1 Market Street, New York',
  });
  const signingKey = new Uint8Array(32).fill(7);
  const sendRendered = (now = runs.now) => {
    return send({ settings, signingKey, now: () => now });
  };
  const linksTo = (purpose: 'unsubscribe' | 'confirm', text = '') => {
    const tokens = [...text.matchAll(new RegExp(`https://signal\\.example/${purpose}/([\\w-]+)`, 'g'))];
    return new Set(tokens.map(([, token = '']) => readToken(signingKey, purpose, token)));
  };

  it('has the stored content and the own link of the subscriber', async () => {
    const mail = renderWeeklySignal(sampleSignal(), settings);
    await addSubscribers(database, ['first@example.com', 'second@example.com']);
    await issue(mail);
    expect(await sendRendered()).toMatchObject({ sent: 2, refused: 0, problems: [] });
    for (const { to, raw } of runs.server.mails) {
      const { subject, html, text, headers, messageId, date } = await PostalMime.parse(raw);
      const reference = await referenceOf(to);
      expect([subject, date]).toEqual([mail.subject, new Date(runs.now).toISOString()]);
      expect(linksTo('unsubscribe', html)).toEqual(new Set([reference]));
      expect(linksTo('unsubscribe', text)).toEqual(new Set([reference]));
      const byPost = headers.find(({ key }) => key === 'list-unsubscribe')?.value;
      expect(linksTo('unsubscribe', byPost)).toEqual(new Set([reference]));
      expect(`${html}${text}`).not.toContain('.invalid');
      expect(text).toContain('1 Market Street, New York');
      const week = new Date(runs.now - 5 * 86_400_000).toISOString().slice(0, 10);
      expect(messageId).toBe(messageIdOf(signingKey, { issue: week, reference, domain: 'signal.example' }));
    }
  });

  it('ends with the checkpoint of the ledger at the time of sending', async () => {
    await addSubscribers(database, ['reader@example.com']);
    await issue(renderWeeklySignal(sampleSignal(), settings));
    await database.transaction(appendEntries);
    expect(await sendRendered()).toMatchObject({ sent: 1 });
    const { text = '' } = await PostalMime.parse(runs.server.mails[0]?.raw ?? '');
    const served = await createServedLedger({ database: database, now: () => 0 })('checkpoint');
    expect(text.replaceAll('\r\n', '\n').trimEnd()).toMatch(/prove the record/);
    expect(text.replaceAll('\r\n', '\n').trimEnd().endsWith(String(served?.content).trimEnd())).toBe(true);
  });

  it('has the content of its own week if mails of two weeks are due', async () => {
    await addSubscribers(database, ['reader@example.com']);
    const subjects = ['BUY 70: up from HOLD last week', 'HOLD 54: 7.0 points to BUY'];
    for (const subject of subjects) {
      const mail = renderWeeklySignal(sampleSignal({ subject }), settings);
      await issue(mail);
    }
    await query("update mailer.deliveries set give_up_at = give_up_at + interval '7 days'");
    expect(await sendRendered()).toMatchObject({ sent: 2 });
    const mails = await Promise.all(runs.server.mails.map(({ raw }) => PostalMime.parse(raw)));
    expect(mails.map(({ subject }) => subject).sort()).toEqual(subjects);
    expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('requests confirmation from unconfirmed subscribers only', async () => {
    await query(`insert into public.email_subscribers (email, is_active, confirmed_at)
      values ('new@example.com', true, null), ('sure@example.com', true, null)`);
    await query("update public.email_subscribers set confirmed_at = now() where email like 'sure%'");
    // The time is near that of the database clock, by which a confirmation mail becomes due.
    expect(await sendRendered(Date.now() + 1_000)).toMatchObject({
      sent: 1,
      refused: 0,
      left: 0,
      problems: [],
    });
    expect(received()).toEqual(['new@example.com']);
    const { html, text, headers } = await PostalMime.parse(runs.server.mails[0]?.raw ?? '');
    expect(headers.filter(({ key }) => key.startsWith('list-'))).toEqual([]);
    const reference = await referenceOf('new@example.com');
    expect(linksTo('confirm', html)).toEqual(new Set([reference]));
    expect(linksTo('confirm', text)).toEqual(new Set([reference]));
    expect(await statuses()).toEqual({ 'new@example.com': 'sent', 'sure@example.com': 'skipped' });
  });
});
