import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { queryOnce } from '#database/port.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { addSubscribers, issueNextWeek, mailSettings, sendNow } from '#tests/support/deliveries.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { REPORT_SAMPLES } from '#tests/support/mail-reports.ts';
import { startProduct } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { startSmtp } from '#tests/support/smtp.ts';
import { wholeSignal } from '#tests/support/weekly-signal.ts';

const TOKEN = 'a-token-of-the-mail-server';
const LOGIN = 'barometer:a-long-password';
const temporary = folderForTests();

const data = join(temporary, 'data');
const reports = join(temporary, 'reports');
const open = () => openEmbedded({ folder: join(data, 'database') });

/** Readers with the envelope sender of their mail, in the order of their addresses. */
let mails: { to: string; returnPath: string }[] = [];

beforeAll(async () => {
  mkdirSync(reports);
  await copyDemonstration(data);
  const database = await open();
  const smtp = await startSmtp();
  const settings = mailSettings({ smtpUrl: smtp.url, bounceAddress: 'bounces@signal.example' });
  const transport = openSmtp(settings);
  await addSubscribers(database, [
    'hard@example.com',
    'soft@example.com',
    'spam@example.com',
    'x@example.com',
  ]);
  const now = await issueNextWeek(database, renderWeeklySignal(wholeSignal(), settings));
  const signingKey = await readSigningKey(database);
  await sendNow(database, transport, { now: () => now, settings, signingKey });
  await transport.close();
  await smtp.close();
  await database.close();
  mails = smtp.mails
    .map(({ to, from }) => ({ to, returnPath: from }))
    .sort((one, other) => (one.to < other.to ? -1 : 1));
});

/** A report in the format of a sample about the mail to a reader. */
function reportOf(name: string, to: string, changes: { returnPath?: string } = {}): string {
  const sample = REPORT_SAMPLES.find((each) => each.name === name);
  const mail = mails.find((each) => each.to === to);
  if (sample === undefined || mail === undefined) throw new Error(`There is no report "${name}" to ${to}.`);
  return sample.raw({ ...mail, unsubscribeUrl: 'https://signal.example/', ...changes });
}

it('gives each subscriber a return path of their own', () => {
  expect(mails).toHaveLength(4);
  expect(new Set(mails.map(({ returnPath }) => returnPath)).size).toBe(4);
  for (const { returnPath } of mails) {
    expect(returnPath).toMatch(/^bounces\+[0-9a-z]{38}@signal\.example$/);
  }
});

it('deactivates the addresses of reports that are posted, found in a folder or called in', async () => {
  const file = join(reports, 'complaint.eml');
  writeFileSync(file, reportOf('feedback report, abuse', 'spam@example.com'));
  const server = await startProduct(data, {
    MAIL_BOUNCE_ADDRESS: 'bounces@signal.example',
    MAIL_BOUNCE_TOKEN: TOKEN,
    MAIL_BOUNCE_DIR: reports,
    MAIL_WEBHOOKS: `postmark=${LOGIN}`,
  });
  try {
    const post = async (body: string, token = TOKEN) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'message/rfc822' };
      const response = await fetch(`${server.url}/mail/reports`, { method: 'POST', headers, body });
      return [response.status, (await response.text()).trim()];
    };
    const hard = reportOf('Postfix, no such user', 'hard@example.com');
    expect((await post(hard, 'wrong'))[0]).toBe(401);
    expect(await post(hard)).toEqual([200, 'hard bounce: deactivated']);
    expect(await post(hard)).toEqual([200, 'hard bounce: repeated']);
    const soft = reportOf('Postfix, mailbox full', 'soft@example.com');
    expect(await post(soft)).toEqual([200, 'soft bounce: recorded']);
    const forged = reportOf('Postfix, no such user', 'x@example.com', {
      returnPath: `bounces+${'0'.repeat(38)}@signal.example`,
    });
    expect(await post(forged)).toEqual([200, 'hard bounce: unverified']);
    const called = await fetch(`${server.url}/mail/reports/postmark`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(LOGIN).toString('base64')}` },
      body: JSON.stringify({ Type: 'HardBounce', ID: 1, Email: 'x@example.com', BouncedAt: new Date() }),
    });
    expect([called.status, await called.text()]).toEqual([200, 'hard bounce: deactivated\n']);
    await expect.poll(() => existsSync(file)).toBe(false);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('barometer_mail_reports_total{kind="hard_bounce",result="deactivated"} 2\n');
    expect(metrics).toContain('barometer_mail_reports_total{kind="complaint",result="deactivated"} 1\n');
    expect(metrics).toContain('barometer_subscribers{state="bounced"} 2\n');
    expect(server.output()).toContain('mail reports taken');
    expect(server.output()).not.toMatch(/@example\.com|@signal\.example/);
  } finally {
    await server.stop();
  }
  const database = await open();
  const states = await queryOnce(
    database,
    `select email, is_active, deactivated_because as because from public.email_subscribers
       where email like '%@example.com' order by email`,
  );
  await database.close();
  expect(states).toEqual([
    { email: 'hard@example.com', is_active: false, because: 'bounced' },
    { email: 'soft@example.com', is_active: true, because: null },
    { email: 'spam@example.com', is_active: false, because: 'complained' },
    { email: 'x@example.com', is_active: false, because: 'bounced' },
  ]);
});
