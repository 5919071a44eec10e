import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { MailTransport } from '#mailer/deliver/send-mails.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import { databaseOfTheseTests } from './database-of-each-test.ts';
import {
  addSubscribers,
  ISSUED_AT,
  issueWeek,
  mailSettings,
  type SendChanges,
  sendNow,
  storedDeliveries,
} from './deliveries.ts';
import { acceptAnyTime } from './future-rows.ts';
import { type SmtpForTest, type SmtpOptions, startSmtp } from './smtp.ts';

const TIMEOUTS = { connect: 10_000, greeting: 10_000, idle: 10_000, mail: 20_000 };

/** A database without subscribers and an SMTP server for each test of a file, and the runs that send between them. */
export function mailRunsOfTheseTests() {
  const { database, run: query } = databaseOfTheseTests();
  let transport: MailTransport;
  let weeks = 0;

  const runs = {
    database,
    query,
    server: undefined as unknown as SmtpForTest,
    /** The clock of the runs. Issuing a signal sets it to the time of issue. */
    now: ISSUED_AT,
    connections: () => transport.connections,
    /** Replaces the SMTP server. */
    async restart(options: SmtpOptions = {}, timeouts = TIMEOUTS): Promise<void> {
      await stop();
      await start(options, timeouts);
    },
    async issue(mail?: object): Promise<void> {
      runs.now = await issueWeek(database, weeks, mail);
      weeks += 1;
    },
    async issueTo(...to: string[]): Promise<void> {
      await addSubscribers(database, to);
      await runs.issue();
    },
    send: (changes: SendChanges & { over?: MailTransport; from?: typeof database } = {}) => {
      const { over = transport, from = database, ...options } = changes;
      return sendNow(from, over, { now: () => runs.now, ...options });
    },
    stored: () => storedDeliveries(database),
    received: () => runs.server.mails.map(({ to }) => to).sort(),
  };

  async function start(options: SmtpOptions = {}, timeouts = TIMEOUTS): Promise<void> {
    runs.server = await startSmtp(options);
    transport = openSmtp(mailSettings({ smtpUrl: runs.server.url }), timeouts);
  }
  async function stop(): Promise<void> {
    await transport.close();
    await runs.server.close();
  }

  beforeAll(() => acceptAnyTime(database));
  beforeEach(() => start());
  afterEach(async () => {
    await stop();
    await query('delete from public.email_subscribers');
  });
  return runs;
}
