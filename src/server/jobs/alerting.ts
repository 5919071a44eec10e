import type { Database } from '#database/port.ts';
import { enqueueAlertMails } from '#mailer/alerts/alert-mails.ts';
import { type PostWebhook, postWebhook } from '#mailer/alerts/post-webhook.ts';
import { sendWebhooks } from '#mailer/alerts/send-webhooks.ts';
import type { WebhookSettings } from '#mailer/alerts/webhook.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import type { Log } from '../log.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import { holderNamed } from './run-job.ts';
import type { ScheduledRun } from './schedule.ts';

const EVERY_MS = 15_000;

interface AlertingOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly webhooks: WebhookSettings;
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: Pick<RunMetrics, 'countAlerts'>;
  /** Cancels the requests when it aborts, because the process must end. */
  readonly signal: AbortSignal;
  /** Name of the command that sends, such as 'serve'. */
  readonly by: string;
  readonly post?: PostWebhook;
}

/**
 * Creates the job that reports changes of the verdict. It sends them to the webhooks and enqueues a mail to each
 * subscriber who opted in. The job of the weekly signal sends these mails.
 */
export function createAlerting(options: AlertingOptions): ScheduledRun {
  const { database, settings, webhooks, now, log, metrics, signal, by, post = postWebhook } = options;
  const { productName, publicUrl } = settings;
  const holder = holderNamed(by);
  return {
    name: 'alerts',
    everyMs: EVERY_MS,
    async run() {
      const mails = await enqueueAlertMails(database, settings, now());
      if (mails > 0) log.info('alert mails added', { mails });
      const report = await sendWebhooks({
        ...{ database, settings: webhooks, productName, publicUrl, post, holder, now, signal },
      });
      const { sent, later, expired, problems } = report;
      metrics.countAlerts(report);
      if (sent + later + expired > 0) log.info('webhooks called', { sent, later, expired });
      for (const reason of problems) log.warn('webhook failed', { reason });
    },
  };
}
