import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { claimDue, renewClaims } from '#mailer/deliver/claims.ts';
import { finish } from '#mailer/deliver/finish.ts';
import type { MakeMail } from '#mailer/deliver/make-mail.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import type { MailTransport } from '#mailer/deliver/transport.ts';
import { returnToOutbox } from '#mailer/deliver/way-out.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import {
  addresses,
  addSubscribers,
  issueWeek,
  mailSettings,
  plainMail,
  sendNow,
  storedDeliveries,
} from '#tests/support/deliveries.ts';
import { embeddedForTest, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { startMailProcess } from '#tests/support/mail-process.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';

const CONNECTIONS = 5;

let folder: string;
let program: string;
let server: SmtpForTest;
let weeks = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barometer-mail-'));
  program = await bundleForNode('tests/support/mail-child.ts');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(program, '..'), { recursive: true, force: true });
});
beforeEach(async () => {
  server = await startSmtp({ keepsTexts: false });
});
afterEach(() => server.close());

async function issueTo(database: Database, to: readonly string[]): Promise<number> {
  await addSubscribers(database, to);
  weeks += 1;
  return issueWeek(database, weeks);
}

/** How often each address got its mail. */
function copies(): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { to } of server.mails) counted.set(to, (counted.get(to) ?? 0) + 1);
  return counted;
}

/** Lets a process send and kills it as soon as the server has taken so many mails in all. */
async function sendUntilKilled(
  database: { databaseUrl: string } | { databaseUrl: null; embedded: { folder: string; worker: string } },
  { now, holder, mails }: { now: number; holder: string; mails: number },
): Promise<void> {
  const settings = { ...database, holder, now, smtpUrl: server.url, isRendered: false, againAfter: null };
  const sender = startMailProcess(program, join(folder, 'settings.json'), settings);
  server.meanwhile = () => {
    if (server.mails.length >= mails) sender.kill();
  };
  expect(await sender.ended).toBeNull();
  server.meanwhile = () => undefined;
}

describe.runIf(hasPostgres())('processes that share a Postgres', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let pools: [Database, Database];
  let transports: [MailTransport, MailTransport];

  beforeAll(async () => {
    postgres = await startPostgres();
    pools = [
      await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS }),
      await openPostgres({ url: postgres.url }),
    ];
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await postgres.stop();
  });
  beforeEach(() => {
    const open = () => openSmtp(mailSettings({ smtpUrl: server.url }));
    transports = [open(), open()];
  });
  afterEach(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    await postgres.run('delete from public.email_subscribers');
  });

  it('share the work, and nobody gets a mail twice', async () => {
    const now = await issueTo(pools[0], addresses(60));
    // However late one of them comes, the other leaves it what it does not claim.
    const made = { one: 0, other: 0 };
    let goOn = () => {};
    const bothAreAtIt = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const inStep =
      (who: keyof typeof made): MakeMail =>
      async (delivery) => {
        made[who] += 1;
        if (Math.min(made.one, made.other) > 10) goOn();
        if (made[who] > 10) await bothAreAtIt;
        return plainMail(delivery);
      };
    const reports = await Promise.all([
      sendNow(pools[0], transports[0], { now: () => now, holder: 'one', makeMail: inStep('one') }),
      sendNow(pools[1], transports[1], { now: () => now, holder: 'other', makeMail: inStep('other') }),
    ]);
    expect(reports.map(({ sent }) => sent > 10)).toEqual([true, true]);
    expect(reports.reduce((sum, { sent }) => sum + sent, 0)).toBe(60);
    expect(server.mails).toHaveLength(60);
    expect(copies().size).toBe(60);
  });

  it('leave to another what it has claimed, as long as it says that it is alive', async () => {
    const now = await issueTo(pools[0], addresses(8));
    const { deliveries } = await claimDue(pools[0], { holder: 'one', now, count: 3 });
    const send = () => sendNow(pools[1], transports[1], { now: () => now, holder: 'other' });
    expect(await send()).toMatchObject({ sent: 5, left: 3 });
    expect(await send()).toMatchObject({ sent: 0, left: 3 });
    await postgres.run("update mailer.deliveries set claimed_until = now() - interval '1 second'");
    expect(await send()).toMatchObject({ sent: 3, left: 0 });
    expect(copies().size).toBe(8);
    expect(server.mails).toHaveLength(8);
    expect(deliveries).toHaveLength(3);
  });

  it('do not wait for each other to claim', async () => {
    const now = await issueTo(pools[0], addresses(3));
    await pools[0].transaction(async (transaction) => {
      // A claim that waits for this one fails the test with it, instead of hanging.
      await transaction.query("set local idle_in_transaction_session_timeout = '60s'");
      await transaction.query('select from mailer.deliveries order by id limit 2 for update');
      const { deliveries } = await claimDue(pools[1], { holder: 'other', now, count: 3 });
      expect(deliveries.map(({ email }) => email)).toEqual(['reader-2@example.com']);
    });
  });

  it('have no say any more about a mail that another has taken over', async () => {
    const now = await issueTo(pools[0], addresses(1));
    const claimAs = (holder: string) => claimDue(pools[0], { holder, now, count: 1 });
    const standing = () =>
      pools[0].transaction((transaction) =>
        transaction.query(
          'select status, attempts, claimed_by, claimed_until < clock_timestamp() as is_over from mailer.deliveries where claimed_by is not null',
        ),
      );
    const runOut = () =>
      postgres.run('update mailer.deliveries set claimed_until = now() where claimed_by is not null');
    const [late] = (await claimAs('one')).deliveries;
    if (late === undefined) throw new Error('Nothing was claimed.');
    await runOut();
    expect((await claimAs('other')).deliveries).toEqual([late]);
    await runOut();
    await renewClaims(pools[0], 'one', [late.id]);
    const outcome = { result: 'refused', smtpStatus: '550 5.1.1', isAddress: true } as const;
    await finish(pools[0], { holder: 'one', delivery: late, outcome, now });
    expect(await standing()).toEqual([
      { status: 'sending', attempts: 0, claimed_by: 'other', is_over: true },
    ]);
    await finish(pools[0], { holder: 'other', delivery: late, outcome: { result: 'sent' }, now });
    expect(await storedDeliveries(pools[0])).toMatchObject([{ status: 'sent', address_refused: false }]);
  });

  it('have no mail kept in an outbox by one that forgot the mail server of the others', async () => {
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
    const keep = () => sendNow(pools[1], outbox, { now: () => next, settings: mailSettings() });
    expect(await keep()).toMatchObject({ sent: 0, left: 2, away: expect.stringContaining('SMTP_URL') });
    await returnToOutbox(pools[0]);
    expect(await keep()).toMatchObject({ sent: 2, left: 0, away: null });
  });

  it('say so for each mail that takes long', async () => {
    const now = await issueTo(pools[0], ['slow@example.com']);
    let renew = () => {};
    let goOn = () => {};
    const claims = () =>
      pools[1].transaction((transaction) =>
        transaction.query<{ left: number }>(
          'select extract(epoch from claimed_until - clock_timestamp()) as left from mailer.deliveries where claimed_by is not null',
        ),
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

  it('send the rest of a killed one, of whose mails at most those under way come twice', async () => {
    const now = await issueTo(pools[0], addresses(70));
    // Once the sessions of the killed process have ended too, which may still commit what they were told to.
    const isOver = `do $$ begin
      while exists (select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle')
      loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`;
    const runOut = (holder: string) =>
      postgres.run(
        `${isOver}; update mailer.deliveries set claimed_until = now() where claimed_by = '${holder}'`,
      );
    for (const [holder, mails] of [
      ['first', 15],
      ['second', 40],
    ] as const) {
      await sendUntilKilled({ databaseUrl: postgres.url }, { now, holder, mails });
      await runOut(holder);
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

describe('a process killed over the embedded database', () => {
  it('loses its claims after a minute to the next process that opens it', async () => {
    const embedded = await embeddedForTest();
    try {
      const now = await issueTo(embedded.database, addresses(16));
      await embedded.database.close();
      const worker = fileURLToPath(WORKER_URL);
      await sendUntilKilled(
        { databaseUrl: null, embedded: { folder: embedded.folder, worker } },
        { now, holder: 'first', mails: 4 },
      );
      const again = await openEmbedded({ folder: embedded.folder, workerUrl: WORKER_URL });
      const transport = openSmtp(mailSettings({ smtpUrl: server.url }));
      const { left: claimed } = await sendNow(again, transport, { now: () => now, holder: 'second' });
      await again.transaction((transaction) =>
        transaction.query("update mailer.deliveries set claimed_until = now() where claimed_by = 'first'"),
      );
      const report = await sendNow(again, transport, { now: () => now, holder: 'second' });
      await transport.close();
      await again.close();
      expect(claimed).toBeGreaterThan(0);
      expect(report).toMatchObject({ left: 0, away: null });
      expect(copies().size).toBe(16);
      expect(server.mails.length - 16).toBeLessThanOrEqual(CONNECTIONS);
    } finally {
      await embedded.remove();
    }
  });
});
