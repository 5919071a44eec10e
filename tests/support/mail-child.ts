// A child process that sends due mails, for tests that kill it: node entry.js <settings.json>. It prints its start
// and the result of each run.
import { readFileSync, writeSync } from 'node:fs';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { openPostgres } from '#database/postgres.ts';
import { openOutbox } from '#mailer/deliver/outbox.ts';
import { sendDue } from '#mailer/deliver/send-due.ts';
import { createMailSender } from '#mailer/deliver/send-mails.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { mailSettings } from './deliveries.ts';

/** Settings of the child process. */
export interface MailChildSettings {
  /** Address of Postgres; null for the embedded database in `folder`. */
  databaseUrl: string | null;
  folder?: string;
  smtpUrl: string | null;
  outboxFolder?: string;
  /** Name of this process in its claims, unique among all processes. */
  holder: string;
  /** Fixed time of the process (epoch ms). */
  now: number;
  /** Sends again after this time (ms) while mails remain, because claims of other processes may expire. */
  againAfter: number | null;
}

/** Measurements that the process prints at its end. */
export interface MailChildFigures {
  sent: number;
}

const {
  databaseUrl,
  folder = '',
  smtpUrl,
  outboxFolder,
  holder,
  now,
  againAfter,
} = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as MailChildSettings;
const say = (line: string) => writeSync(1, `${line}\n`);

const database =
  databaseUrl === null ? await openEmbedded({ folder }) : await openPostgres({ url: databaseUrl });
const settings = mailSettings({ smtpUrl, outboxFolder: outboxFolder ?? '' });
const transport = smtpUrl === null ? openOutbox(settings) : openSmtp(settings);
const signingKey = await readSigningKey(database);
say('sending');
let sent = 0;
for (;;) {
  const sender = createMailSender({ database, transport, settings, signingKey, now: () => now });
  const { signal } = new AbortController();
  const report = await sendDue({ database, sender, holder, now: () => now, signal });
  sent += report.sent;
  if (report.left === 0 || againAfter === null) break;
  await new Promise((resolve) => setTimeout(resolve, againAfter));
}
await transport.close();
await database.close();
const figures: MailChildFigures = { sent };
say(JSON.stringify(figures));
