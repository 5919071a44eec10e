// A child process that publishes planned sessions and sends their alerts, for tests that kill it: node entry.js
// <settings.json>. It follows the clock file until it is killed, and prints a line before each part of its work.
import { readFileSync, writeSync } from 'node:fs';
import { createProblems } from '#collector/problems.ts';
import { publish } from '#collector/publish/publish.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { sendDue } from '#mailer/deliver/send-due.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { createAlerting } from '#server/jobs/alerting.ts';
import { recordClosingVerdict } from '#server/jobs/closing-verdicts.ts';
import { LeaseHeld, LeaseLost, withLease } from '#server/jobs/lease.ts';
import { SILENT_LOG } from '#server/log.ts';
import type { PlannedSession } from './alert-plan.ts';
import { closingRows } from './closing-rows.ts';
import { mailSettings } from './deliveries.ts';

/** Settings of the child process. */
export interface AlertChildSettings {
  readonly databaseUrl: string;
  readonly smtpUrl: string;
  /** The key that signs links (base64). */
  readonly signingKey: string;
  readonly webhooks: Parameters<typeof createAlerting>[0]['webhooks']['webhooks'];
  /** Prefix of the names of its claims, unique among all processes. */
  readonly holder: string;
  /** File that names the newest session of the plan. */
  readonly clockFile: string;
}

const EVENING = 5 * 3_600_000;
const PAUSE_MS = 10;

const { databaseUrl, smtpUrl, signingKey, webhooks, holder, clockFile } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as AlertChildSettings;
const say = (line: string) => writeSync(1, `${line}\n`);
const database = await openPostgres({ url: databaseUrl });
const settings = mailSettings({ smtpUrl });
const mailKey = await readSigningKey(database);
const { signal } = new AbortController();

async function publishSession({ session, rows }: PlannedSession, now: number): Promise<void> {
  if (rows === null) return;
  const { source = 'live' } = rows;
  try {
    await withLease(database, { holder }, async ({ stillMine }) => {
      await publish(database, [closingRows(session, rows)], {
        ...{ source, now, clock: () => now, recent: [], originsOf: undefined, problems: createProblems() },
        ...{ calls: () => [], report: () => undefined, signal },
        published: async (transaction, batches) => {
          await recordClosingVerdict(transaction, batches, now);
          await stillMine(transaction);
        },
      });
    });
  } catch (error) {
    // Ignore the error: another process has the lease, and publishes the session.
    if (!(error instanceof LeaseHeld || error instanceof LeaseLost)) throw error;
  }
}

for (;;) {
  const planned = JSON.parse(readFileSync(clockFile, 'utf8')) as PlannedSession;
  const now = sessionClose(planned.session) + EVENING;
  say('publishing');
  await publishSession(planned, now);
  say('alerting');
  await createAlerting({
    ...{ database, settings, now: () => now, log: SILENT_LOG, signal, by: holder },
    metrics: { countAlerts: () => undefined },
    webhooks: { webhooks, signingKey: Buffer.from(signingKey, 'base64'), allowsPrivate: true },
  }).run();
  say('mailing');
  const transport = openSmtp(settings);
  await sendDue({ database, transport, settings, signingKey: mailKey, holder, now: () => now, signal });
  await transport.close();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
