import { postWebhook } from '#mailer/alerts/post-webhook.ts';
import { nameOfWebhook } from '#mailer/alerts/webhook.ts';
import { testMessage, webhookRequest } from '#mailer/alerts/webhook-message.ts';
import type { Command } from '../command.ts';
import { stopSignal } from '../terminal/stop-signal.ts';

export const alertsTest: Command = {
  help: `Usage: npm run barometer -- alerts test

Sends a test message to each webhook of ALERT_WEBHOOKS and prints its response. Records nothing. Exits with 1 if one fails.`,
  flags: {},
  async run({ environment, now, stdout }) {
    const { webhooks, signingKey, allowsPrivate } = environment.alerts;
    if (webhooks.length === 0) {
      stdout.write('ALERT_WEBHOOKS is not set: there is no webhook to test.\n');
      return 1;
    }
    const signal = stopSignal();
    const message = testMessage(environment.mail, now());
    const accepted = await Promise.all(
      webhooks.map(async (webhook, place) => {
        const request = webhookRequest(webhook, message, { signingKey, now: now() });
        const { status, failure } = await postWebhook(request, { allowsPrivate, signal });
        const isAccepted = status !== null && status >= 200 && status < 300;
        const found = failure ?? `status ${status}`;
        stdout.write(`${nameOfWebhook(webhook, place)}: ${isAccepted ? 'accepted' : `failed, ${found}`}\n`);
        return isAccepted;
      }),
    );
    return accepted.every(Boolean) ? 0 : 1;
  },
};
