import { isAccepted, postWebhook } from '#mailer/alerts/post-webhook.ts';
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
        const result = await postWebhook(request, { allowsPrivate, signal });
        const found = result.failure ?? `status ${result.status}`;
        const outcome = isAccepted(result) ? 'accepted' : `failed, ${found}`;
        stdout.write(`${nameOfWebhook(webhook, place)}: ${outcome}\n`);
        return isAccepted(result);
      }),
    );
    return accepted.every(Boolean) ? 0 : 1;
  },
};
