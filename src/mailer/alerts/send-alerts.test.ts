import { beforeAll, beforeEach, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { mailSettings, sendNow } from '#tests/support/deliveries.ts';
import { type SendReport, sendDue } from '../deliver/send-due.ts';
import type { MailMessage, MailTransport } from '../deliver/send-mails.ts';
import { createWebhookSender, type PostResult, type PostWebhook } from './send-webhooks.ts';
import { enqueueAlerts } from './verdict-changes.ts';
import { digestOf } from './webhook-message.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AT = Date.parse('2026-11-20T21:30:00Z');
const SECRET = 'https://hooks.example/T0KEN';

const { database, run: query } = databaseOfTheseTests();

beforeAll(async () => {
  // Records the first verdict, a change that is older than a day, and a change now.
  await query(`insert into archive.verdict_changes
    (id, session, at, from_verdict, to_verdict, score, source, formula_version, follows) overriding system value values
    (1, '2026-11-02', '2026-11-02T21:30:00Z', null, 'BUY', 62, 'live', '2', null),
    (2, '2026-11-05', '2026-11-19T21:00:00Z', 'BUY', 'HOLD', 50, 'live', '2', 1),
    (3, '2026-11-20', '2026-11-20T21:30:00Z', 'HOLD', 'BUY', 62.3, 'live', '2', 2)`);
});
beforeEach(async () => {
  // Messages are append-only.
  await query('alter table mailer.messages disable trigger user');
  for (const table of ['mailer.deliveries', 'mailer.messages']) await query(`delete from ${table}`);
  await query('delete from public.email_subscribers');
});

const SETTINGS = {
  webhooks: [
    { kind: 'slack', url: `${SECRET}/1` },
    { kind: 'generic', url: `${SECRET}/2` },
  ],
  signingKey: Buffer.alloc(32),
  allowsPrivate: false,
} as const;

const enqueue = (now: number) =>
  enqueueAlerts(database, {
    frame: mailSettings(),
    webhooks: SETTINGS.webhooks.map(digestOf),
    now,
  });

async function send(
  post: PostWebhook,
  now: number,
  signal = new AbortController().signal,
): Promise<SendReport> {
  await enqueue(now);
  const sender = createWebhookSender({ settings: SETTINGS, post, now: () => now, signal });
  return sendDue({ database, sender, holder: 'a test', now: () => now, signal });
}

function sendMails(transportMail: MailTransport['send']) {
  const transport = { connections: 1, send: transportMail, close: async () => undefined };
  return sendNow(database, transport, { now: () => AT });
}

const status = (code: number): PostResult => ({ status: code, failure: null });

it('sends each change of the last day once to each webhook', async () => {
  const ids: string[] = [];
  const post: PostWebhook = async ({ url, headers }) => {
    ids.push(`${url.pathname} ${headers['webhook-id']}`);
    return status(204);
  };
  expect(await send(post, AT)).toMatchObject({ sent: 2, later: 0, expired: 0, left: 0, problems: [] });
  expect(await send(post, AT + HOUR)).toMatchObject({ sent: 0, later: 0 });
  expect(ids.sort()).toEqual([
    '/T0KEN/1 verdict-change-3-2026-11-20',
    '/T0KEN/2 verdict-change-3-2026-11-20',
  ]);
});

it('retries a failed call with the same id, and reports it without the URL', async () => {
  const ids: (string | undefined)[] = [];
  const fail: PostWebhook = async ({ url, headers }) => {
    if (url.pathname.endsWith('1')) return status(200);
    ids.push(headers['webhook-id']);
    return status(500);
  };
  const failed = { sent: 0, later: 1, expired: 0 };
  const reports = [await send(fail, AT), await send(fail, AT + MINUTE), await send(fail, AT + 2 * MINUTE)];
  expect(reports).toMatchObject([{ ...failed, sent: 1 }, failed, { ...failed, later: 0, left: 1 }]);
  expect(ids).toEqual(Array(2).fill('verdict-change-3-2026-11-20'));
  expect(reports[0]?.problems.join()).toMatch(
    /^Message \d+ was not sent: The call of webhook 2 \(generic\) failed: it responded with status 500\. A retry follows\.$/,
  );
  expect(await send(fail, AT + 24 * HOUR)).toMatchObject({ sent: 0, later: 0, expired: 1, left: 0 });
  expect(JSON.stringify(reports)).not.toContain('T0KEN');
  expect(JSON.stringify(await query('select * from mailer.deliveries'))).not.toContain('hooks.example');
});

it('does not wait for a webhook that hangs before it calls another one', async () => {
  let goOn = (_: PostResult) => {};
  const sent: string[] = [];
  const sending = send(({ url }) => {
    if (url.pathname.endsWith('1')) return new Promise((resolve) => (goOn = resolve));
    sent.push(url.pathname);
    return Promise.resolve(status(200));
  }, AT);
  await expect
    .poll(() => query("select status from mailer.deliveries where status = 'sent'"))
    .toHaveLength(1);
  expect(sent).toEqual(['/T0KEN/2']);
  goOn({ status: null, failure: 'it did not respond in time' });
  expect(await sending).toMatchObject({ sent: 1, later: 1 });
});

it('expires an old message to a removed webhook whose process was killed', async () => {
  await enqueue(AT);
  await query(
    `update mailer.deliveries set target = 'removed ' || target, status = 'sending', claimed_by = 'killed'`,
  );
  const endClaims = (at: string) => query(`update mailer.deliveries set claimed_until = ${at}`);
  const post: PostWebhook = async () => status(200);
  await endClaims("now() + interval '1 hour'");
  expect(await send(post, AT + 48 * HOUR)).toMatchObject({ expired: 0, left: 2 });
  await endClaims("now() - interval '1 second'");
  expect(await send(post, AT + HOUR)).toMatchObject({ expired: 0, left: 2 });
  expect(await send(post, AT + 48 * HOUR)).toMatchObject({ sent: 0, expired: 2, left: 0 });
});

it('sends a message in the next run if the process ended while sending it', async () => {
  const stop = new AbortController();
  const post: PostWebhook = async () => {
    stop.abort();
    return { status: null, failure: 'the process ended' };
  };
  await send(post, AT, stop.signal);
  expect(await query('select distinct status, attempts from mailer.deliveries')).toEqual([
    { status: 'pending', attempts: 0 },
  ]);
  expect(await send(async () => status(200), AT + MINUTE)).toMatchObject({ sent: 2 });
});

it('mails a change once to confirmed subscribers who opted in', async () => {
  await query(`insert into public.email_subscribers (email, alerts, is_active, confirmed_at) values
    ('both@example.com', true, true, now()), ('weekly@example.com', false, true, now()),
    ('left@example.com', true, false, now()), ('opted-out@example.com', true, true, now())`);
  expect(await enqueue(AT)).toBe(2);
  expect(await enqueue(AT + MINUTE)).toBe(0);
  await query("update public.email_subscribers set alerts = false where email like 'opted%'");
  const mails: MailMessage[] = [];
  await sendMails(async (mail) => {
    mails.push(mail);
    return { result: 'sent' };
  });
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    ['both@example.com', 'HOLD to BUY: the verdict changed'],
  ]);
  expect(mails[0]?.unsubscribeUrl).toMatch(/^https:\/\/signal\.example\/unsubscribe\/[\w-]{43}$/);
  expect(mails[0]?.text).toContain(mails[0]?.unsubscribeUrl);
  const statuses = "select distinct status from mailer.deliveries where channel = 'mail' order by 1";
  expect(await query(statuses)).toEqual([{ status: 'sent' }, { status: 'skipped' }]);
});

it('suspends a subscriber whose address was refused for alerts, as for weekly mails', async () => {
  await query(`insert into public.email_subscribers (email, alerts)
    values ('gone@example.com', true), ('there@example.com', true)`);
  await query(`insert into mailer.messages (channel, change_id, name, content)
    select 'mail', id, 'change', '{}' from archive.verdict_changes where id in (1, 2)`);
  await query(`insert into mailer.deliveries
      (channel, message_id, subscriber_id, status, address_refused, due_at, give_up_at)
    select 'mail', message.id, subscriber.id, case when is_gone then 'refused' else 'sent' end, is_gone, now(), now()
    from mailer.messages as message, public.email_subscribers as subscriber,
      lateral (select email like 'gone%' as is_gone) as address`);
  await enqueue(AT);
  await sendMails(async ({ to }) =>
    to.startsWith('gone') ? { result: 'refused', reply: '550 5.1.1', isAddress: true } : { result: 'sent' },
  );
  expect(
    await query('select is_active, deactivated_because from public.email_subscribers order by id'),
  ).toEqual([
    { is_active: false, deactivated_because: 'address refused' },
    { is_active: true, deactivated_because: null },
  ]);
});
