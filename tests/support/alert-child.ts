// A child process that publishes planned sessions and sends their alerts, for tests that kill it: node entry.js
// <settings.json>. It follows the clock file until it is killed, and prints a line before each part of its work.
import { readFileSync, writeSync } from 'node:fs';
import { createProblems } from '#collector/problems.ts';
import { publish } from '#collector/publish/publish.ts';
import { openPostgres } from '#database/postgres.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { recordClosingVerdict } from '#server/jobs/closing-verdicts.ts';
import { LeaseHeld, LeaseLost, withLease } from '#server/jobs/lease.ts';
import { createSending } from '#server/jobs/sending.ts';
import { SILENT_LOG } from '#server/log.ts';
import type { PlannedSession } from './alert-plan.ts';
import { closingRows } from './closing-rows.ts';
import { mailSettings } from './deliveries.ts';

/** Settings of the child process. */
export interface AlertChildSettings {
  readonly databaseUrl: string;
  readonly smtpUrl: string;
  /** The key that signs calls of webhooks (base64). */
  readonly signingKey: string;
  readonly webhooks: Parameters<typeof createSending>[0]['webhooks']['webhooks'];
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
const { signal } = new AbortController();

async function publishSession({ session, rows }: PlannedSession, now: number): Promise<void> {
  if (rows === null) return;
  const { source = 'live' } = rows;
  try {
    await withLease(database, { holder }, async ({ checkHeld }) => {
      await publish(database, [closingRows(session, rows)], {
        ...{ source, now, clock: () => now, correctsFrom: null, problems: createProblems() },
        ...{ calls: () => [], report: () => undefined, signal },
        published: async (transaction, batches) => {
          await recordClosingVerdict(transaction, batches, now);
          await checkHeld(transaction);
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
  const sending = createSending({
    ...{ database, settings, now: () => now, log: SILENT_LOG, signal, by: holder },
    metrics: { countDeliveries: () => undefined },
    webhooks: { webhooks, signingKey: Buffer.from(signingKey, 'base64'), allowsPrivate: true },
  });
  await sending.sendAlerts();
  say('mailing');
  await sending.sendMails();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
