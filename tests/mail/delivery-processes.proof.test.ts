import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { claimDue, recordOutcome, renewClaims } from '#mailer/deliver/deliveries.ts';
import { type MailTransport, returnToOutbox } from '#mailer/deliver/send-mails.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import {
  addresses,
  addSubscribers,
  issueWeek,
  mailSettings,
  sendNow,
  storedDeliveries,
} from '#tests/support/deliveries.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { startMailProcess } from '#tests/support/mail-process.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';

const CONNECTIONS = 5;

const folder = folderForTests();
const child = shared(() => bundleForNode('tests/support/mail-child.ts'));
let server: SmtpForTest;
let weeks = 0;

beforeEach(async () => {
  server = await startSmtp({ keepsTexts: false });
});
afterEach(() => server.close());

async function issueTo(database: Database, to: readonly string[]): Promise<number> {
  await addSubscribers(database, to);
  weeks += 1;
  return issueWeek(database, weeks);
}

/** Number of mails per address. */
function copies(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { to } of server.mails) counted.set(to, (counted.get(to) ?? 0) + 1);
  return counted;
}

/** Starts a process that sends, and kills it when the server has received `mails` mails in total. */
async function sendUntilKilled(
  databaseUrl: string,
  { now, holder, mails }: { now: number; holder: string; mails: number },
): Promise<void> {
  const settings = { databaseUrl, holder, now, smtpUrl: server.url, againAfter: null };
  const sender = startMailProcess(child.program, join(folder, 'settings.json'), settings);
  server.meanwhile = () => {
    if (server.mails.length >= mails) sender.kill();
  };
  expect(await sender.ended).toBeNull();
  server.meanwhile = () => undefined;
}

describe('processes that share a Postgres', () => {
  const postgres = shared(startPostgres);
  const pools = [
    shared(() => openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS })),
    shared(() => openPostgres({ url: postgres.url })),
  ] as const;
  let transports: [MailTransport, MailTransport];

  beforeAll(() => acceptAnyTime(pools[0]));
  beforeEach(() => {
    const open = () => openSmtp(mailSettings({ smtpUrl: server.url }));
    transports = [open(), open()];
  });
  afterEach(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    await postgres.run('delete from public.email_subscribers');
  });

  it('share the work without a second copy of any mail', async () => {
    const now = await issueTo(pools[0], addresses(60));
    // Each process waits after ten mails until the other has rendered ten mails.
    const made = { one: 0, other: 0 };
    let goOn = () => {};
    const bothHaveTen = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const waitForOther = (who: keyof typeof made) => async () => {
      made[who] += 1;
      if (Math.min(made.one, made.other) > 10) goOn();
      if (made[who] > 10) await bothHaveTen;
    };
    const reports = await Promise.all([
      sendNow(pools[0], transports[0], { now: () => now, holder: 'one', before: waitForOther('one') }),
      sendNow(pools[1], transports[1], { now: () => now, holder: 'other', before: waitForOther('other') }),
    ]);
    expect(reports.map(({ sent }) => sent > 10)).toEqual([true, true]);
    expect(reports.reduce((sum, { sent }) => sum + sent, 0)).toBe(60);
    expect(server.mails).toHaveLength(60);
    expect(copies().size).toBe(60);
  });

  it('do not wait for locked rows during a claim', async () => {
    const now = await issueTo(pools[0], addresses(3));
    await pools[0].transaction(async (transaction) => {
      // Makes the test fail instead of hang if the claim waits.
      await transaction.query("set local idle_in_transaction_session_timeout = '60s'");
      await transaction.query('select from mailer.deliveries order by id limit 2 for update');
      const { deliveries } = await claimDue(pools[1], { channel: 'mail', holder: 'other', now, count: 3 });
      expect(deliveries.map(({ recipient }) => recipient)).toEqual(['reader-2@example.com']);
    });
  });

  it('cannot record an outcome of a delivery that another process has claimed since', async () => {
    const now = await issueTo(pools[0], addresses(1));
    const claimAs = (holder: string) => claimDue(pools[0], { channel: 'mail', holder, now, count: 1 });
    const stored = () =>
      queryOnce(
        pools[0],
        'select status, attempts, claimed_by, claimed_until < clock_timestamp() as is_over from mailer.deliveries where claimed_by is not null',
      );
    const expireClaims = () =>
      postgres.run('update mailer.deliveries set claimed_until = now() where claimed_by is not null');
    const [late] = (await claimAs('one')).deliveries;
    if (late === undefined) throw new Error('Nothing was claimed.');
    await expireClaims();
    expect((await claimAs('other')).deliveries).toEqual([late]);
    await expireClaims();
    await renewClaims(pools[0], 'one', [late.id]);
    const outcome = { result: 'refused', reply: '550 5.1.1', isAddress: true } as const;
    await recordOutcome(pools[0], late, { holder: 'one', outcome, now });
    expect(await stored()).toEqual([{ status: 'sending', attempts: 0, claimed_by: 'other', is_over: true }]);
    await recordOutcome(pools[0], late, { holder: 'other', outcome: { result: 'sent' }, now });
    expect(await storedDeliveries(pools[0])).toMatchObject([{ status: 'sent', address_refused: false }]);
  });

  it('refuse to write into an outbox while another process sends by SMTP', async () => {
    const now = await issueTo(pools[0], addresses(2));
    const outbox: MailTransport = {
      connections: 1,
      send: async () => ({ result: 'sent' }),
      close: async () => undefined,
    };
    await returnToOutbox(pools[0]);
    await sendNow(pools[0], transports[0], { now: () => now });
    expect(server.mails).toHaveLength(2);
    const next = await issueTo(pools[0], []);
    const sendToOutbox = () => sendNow(pools[1], outbox, { now: () => next, settings: mailSettings() });
    expect(await sendToOutbox()).toMatchObject({
      sent: 0,
      left: 2,
      unavailable: expect.stringContaining('SMTP_URL'),
    });
    await returnToOutbox(pools[0]);
    expect(await sendToOutbox()).toMatchObject({ sent: 2, left: 0, unavailable: null });
  });

  it('renew the claim of a mail that takes long', async () => {
    const now = await issueTo(pools[0], ['slow@example.com']);
    let renew = () => {};
    let goOn = () => {};
    const claims = () =>
      queryOnce<{ left: number }>(
        pools[1],
        'select extract(epoch from claimed_until - clock_timestamp()) as left from mailer.deliveries where claimed_by is not null',
      );
    server.meanwhile = () => new Promise((resolve) => (goOn = resolve));
    const sending = sendNow(pools[0], transports[0], {
      now: () => now,
      every: (_, tick) => {
        renew = tick;
        return () => undefined;
      },
    });
    await expect.poll(() => server.mails.length).toBe(1);
    await postgres.run("update mailer.deliveries set claimed_until = now() where status = 'sending'");
    renew();
    await expect.poll(async () => (await claims())[0]?.left).toBeGreaterThan(50);
    goOn();
    expect(await sending).toMatchObject({ sent: 1, left: 0 });
  });

  it('send the rest of a killed process, with copies of its current mails at most', async () => {
    const now = await issueTo(pools[0], addresses(70));
    // SQL that waits until the database sessions of the killed process have ended, because they may still commit.
    const sessionsEnded = `do $$ begin
      while exists (select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle')
      loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`;
    const expireClaims = (holder: string) =>
      postgres.run(
        `${sessionsEnded}; update mailer.deliveries set claimed_until = now() where claimed_by = '${holder}'`,
      );
    for (const [holder, mails] of [
      ['first', 15],
      ['second', 40],
    ] as const) {
      await sendUntilKilled(postgres.url, { now, holder, mails });
      await expireClaims(holder);
    }
    expect(await sendNow(pools[1], transports[1], { now: () => now, holder: 'third' })).toMatchObject({
      left: 0,
    });
    expect(copies().size).toBe(70);
    expect(server.mails.length - 70).toBeLessThanOrEqual(2 * CONNECTIONS);
    const stored = await storedDeliveries(pools[0]);
    expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['sent']));
  });
});
