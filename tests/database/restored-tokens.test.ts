import { beforeEach, describe, expect, it } from 'vitest';
import { type Database, queryOnce } from '#database/port.ts';
import type { MailMessage } from '#mailer/deliver/send-mails.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { processReport } from '#mailer/reports/process-report.ts';
import { chooseAlerts, confirm, unsubscribe } from '#mailer/subscribers/subscription.ts';
import { readSigningKey, readToken } from '#mailer/subscribers/token.ts';
import { addSubscribers, issueWeek, mailSettings, sendNow } from '#tests/support/deliveries.ts';
import { embeddedForTest } from '#tests/support/embedded.ts';
import { REPORT_SAMPLES } from '#tests/support/mail-reports.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { wholeSignal } from '#tests/support/weekly-signal.ts';
import { exportDatabase, importArchive } from '../../src/cli/transfer/copy-tables.ts';

const quiet = { report: () => undefined };
const temporary = folderForTests();

/** Sends the signal of a week to all subscribers of a database, and returns the mails. */
async function sendTo(database: Database): Promise<MailMessage[]> {
  const settings = mailSettings({ smtpUrl: 'smtp://127.0.0.1', bounceAddress: 'bounces@signal.example' });
  const mails: MailMessage[] = [];
  const now = await issueWeek(database, 0, renderWeeklySignal(wholeSignal(), settings));
  const transport = {
    connections: 1,
    send: async (mail: MailMessage) => {
      mails.push(mail);
      return { result: 'sent' } as const;
    },
    close: async () => undefined,
  };
  const signingKey = await readSigningKey(database);
  await sendNow(database, transport, { now: () => now, settings, signingKey });
  return mails;
}

describe('after an older export was imported', () => {
  let restored: Database;
  /** The mail to a subscriber who is not in the export. */
  let lost: MailMessage | undefined;

  beforeEach(async (context) => {
    const before = await embeddedForTest();
    const after = await embeddedForTest();
    const path = `${temporary}/${context.task.id}`;
    await addSubscribers(before.database, ['kept@example.com']);
    await exportDatabase(before.database, path, quiet);
    await addSubscribers(before.database, ['lost@example.com']);
    lost = (await sendTo(before.database)).find(({ to }) => to === 'lost@example.com');
    await before.remove();
    restored = after.database;
    await importArchive(restored, path, { ...quiet, checkHeld: async () => undefined });
    await addSubscribers(restored, ['other@example.com']);
    await sendTo(restored);
    return after.remove;
  });

  const states = () =>
    queryOnce(restored, 'select email, is_active, alerts from public.email_subscribers order by id');
  const UNCHANGED = [
    { email: 'kept@example.com', is_active: true, alerts: false },
    { email: 'other@example.com', is_active: true, alerts: false },
  ];

  it.each(['Postfix, no such user', 'feedback report, abuse'])(
    'a report about a mail from before ends no subscription of another person: %s [T25]',
    async (name) => {
      const sample = REPORT_SAMPLES.find((each) => each.name === name);
      const mail = {
        to: lost?.to ?? '',
        returnPath: lost?.returnPath ?? '',
        unsubscribeUrl: lost?.unsubscribeUrl ?? '',
      };
      const signingKey = await readSigningKey(restored);
      const report = Buffer.from(sample?.raw(mail) ?? '');
      expect((await processReport(restored, report, { signingKey, now: lost?.date ?? 0 })).result).toBe(
        'unverified',
      );
      expect(await states()).toEqual(UNCHANGED);
    },
  );

  it('a link from before changes no subscription of another person', async () => {
    const token = lost?.unsubscribeUrl?.split('/').at(-1) ?? '';
    const reference = readToken(await readSigningKey(restored), 'unsubscribe', token) ?? '';
    expect(await unsubscribe(restored, reference)).toBe('unknown');
    expect(await confirm(restored, reference)).toBe('unknown');
    expect(await chooseAlerts(restored, reference, true)).toBe('unknown');
    expect(await states()).toEqual(UNCHANGED);
  });
});
