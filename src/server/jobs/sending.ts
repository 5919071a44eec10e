import { once } from 'node:events';
import type { Database } from '#database/port.ts';
import { createWebhookSender, type PostWebhook, postWebhook } from '#mailer/alerts/send-webhooks.ts';
import { enqueueAlerts } from '#mailer/alerts/verdict-changes.ts';
import { digestOf, type WebhookSettings } from '#mailer/alerts/webhook-message.ts';
import { createAnchorSender, enqueueAnchors } from '#mailer/anchors/send-anchors.ts';
import { type Channel, pauseAfter } from '#mailer/deliver/deliveries.ts';
import { openOutbox } from '#mailer/deliver/outbox.ts';
import { type Sender, type SendProgress, type SendReport, sendDue } from '#mailer/deliver/send-due.ts';
import { createMailSender, type MailTransport } from '#mailer/deliver/send-mails.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import type { AnchorService } from '#record/ledger/anchor-services.ts';
import type { Log } from '../log.ts';
import type { RunMetrics } from '../metrics/counters.ts';
import { newHolderName } from './lease.ts';

/** The channel on which Postgres announces new deliveries and changes of the verdict. */
export const DELIVERIES = 'deliveries';
/** Interval of the runs, for retries and for a database whose notifications do not arrive. */
const EVERY_MS = 15_000;
/** Longest pause after failed connections to the mail server (ms). */
const LONGEST_PAUSE = 15 * 60_000;
/** Longest wait for deliveries in progress when the process must end (ms). */
const DRAIN = 5_000;

export interface SendingOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly webhooks: WebhookSettings;
  readonly anchors?: readonly AnchorService[];
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: Pick<RunMetrics, 'countDeliveries'>;
  /** Aborts when the process must end: no further delivery is started, and the requests to webhooks are cancelled. */
  readonly signal: AbortSignal;
  /** Name of the command that sends, such as 'serve'. */
  readonly by: string;
  readonly openTransport?: (settings: MailSettings) => MailTransport;
  readonly post?: PostWebhook;
  readonly wait?: (ms: number) => Promise<unknown>;
}

export const toTransport = (settings: MailSettings) =>
  settings.smtpUrl === null ? openOutbox(settings) : openSmtp(settings);

/** Rejects when `DRAIN` ms have passed after `stop` aborts. Rejects at once if `done` aborts first. */
async function rejectAfterDrain(
  stop: AbortSignal,
  done: AbortSignal,
  wait: (ms: number) => Promise<unknown>,
): Promise<never> {
  if (!stop.aborted) await once(stop, 'abort', { signal: done });
  await wait(DRAIN);
  throw new Error('The mail server did not respond before the process ended.');
}

const unrefWait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

const EVENTS = {
  mail: { sent: 'mails sent', problem: 'mail problem' },
  webhook: { sent: 'webhooks called', problem: 'webhook failed' },
  anchor: { sent: 'checkpoints anchored', problem: 'anchor failed' },
} as const satisfies Record<Channel, object>;

/** Creates the jobs that send the deliveries of each channel. All methods throw the errors of the database. */
export function createSending(options: SendingOptions) {
  const { database, settings, webhooks, now, log, metrics, signal, by } = options;
  const { anchors: services = [], openTransport = toTransport } = options;
  const { post = postWebhook, wait = unrefWait } = options;
  const to = settings.smtpUrl === null ? 'outbox' : 'smtp';
  const digests = webhooks.webhooks.map(digestOf);
  const loggedProblems = new Set<string>();
  /** Number of consecutive failed connections to the mail server, and the time of the next attempt. */
  let unavailable = { times: 0, until: 0 };

  function logAvailability(report: SendReport): void {
    if (report.unavailable !== null) {
      if (unavailable.times === 0) log.warn('mail server unavailable', { reason: report.unavailable });
      const times = unavailable.times + 1;
      unavailable = { times, until: now() + pauseAfter(times, LONGEST_PAUSE) };
    } else if (unavailable.times > 0 && report.sent + report.refused + report.later > 0) {
      log.info('mail server back');
      unavailable = { times: 0, until: 0 };
    }
  }

  async function send(
    sender: Sender,
    report?: ((progress: SendProgress) => void) | undefined,
  ): Promise<SendReport> {
    const startedAt = now();
    const { channel } = sender;
    const result = await sendDue({ database, sender, holder: newHolderName(by), now, signal, report });
    const { sent, refused, later, expired, left, problems } = result;
    metrics.countDeliveries(channel, result);
    if (sent + refused + later + expired > 0) {
      const counts = { sent, refused, later, expired, left, ...(channel === 'mail' && { to }) };
      log.info(EVENTS[channel].sent, { ...counts, ms: now() - startedAt });
    }
    for (const reason of problems.filter((problem) => !loggedProblems.has(problem))) {
      loggedProblems.add(reason);
      log.warn(EVENTS[channel].problem, { reason });
    }
    return result;
  }

  async function sendMails(report?: (progress: SendProgress) => void): Promise<SendReport> {
    const signingKey = await readSigningKey(database);
    const transport = openTransport(settings);
    const done = new AbortController();
    try {
      const sending = send(createMailSender({ database, transport, settings, signingKey, now }), report);
      // Mails that the mail server has not accepted in time stay claimed until their claims expire.
      const result = await Promise.race([sending, rejectAfterDrain(signal, done.signal, wait)]);
      logAvailability(result);
      return result;
    } finally {
      done.abort();
      await transport.close();
    }
  }

  /** Adds the messages about changes of the verdict, and calls the webhooks. */
  async function sendAlerts(): Promise<SendReport> {
    const mails = await enqueueAlerts(database, { frame: settings, webhooks: digests, now: now() });
    if (mails > 0) log.info('alert mails added', { mails });
    return send(createWebhookSender({ settings: webhooks, post, now, signal }));
  }

  /** Records the checkpoint after the newest decision, and sends it to the places that keep it. */
  async function sendAnchors(): Promise<SendReport> {
    await enqueueAnchors(database, { kinds: services.map(({ kind }) => kind), now: now() });
    return send(createAnchorSender({ database, services, signal }));
  }

  /** True during the pause after a failed connection. One longer than the longest means that a clock was set back. */
  const isUnavailable = () => now() < unavailable.until && unavailable.until - now() <= LONGEST_PAUSE;

  return {
    sendAlerts,
    sendMails,
    sendAnchors,
    /** The three jobs. They do not wait for each other. */
    scheduledRuns: [
      { name: 'alerts', everyMs: EVERY_MS, run: async () => void (await sendAlerts()) },
      { name: 'anchors', everyMs: EVERY_MS, run: async () => void (await sendAnchors()) },
      {
        name: 'mails',
        everyMs: EVERY_MS,
        run: async () => {
          if (!signal.aborted && !isUnavailable()) await sendMails();
        },
      },
    ],
  };
}
