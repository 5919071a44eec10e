import { weeklySignalView } from '#views/weekly-signal-view.ts';
import type { MailMessage } from '../deliver/send-mails.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { completeMail } from '../render/mail-page.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import { asciiDomainOf } from '../safe-text.ts';
import { decideWeek, type MarketReading } from './decide-week.ts';
import type { WithholdReason } from './withhold-reason.ts';

/**
 * The mail of a reading at `at`, even if it would be withheld; null if the rows do not yield a verdict. `refusal` is the
 * reason to withhold it, or null. The unsubscribe link of the mail is invalid.
 */
export function makePreview(
  reading: MarketReading,
  { settings, at, to }: { settings: MailSettings; at: number; to: string },
): { refusal: WithholdReason | null; message: MailMessage | null } {
  const decision = decideWeek(reading, { now: at, at, delay: settings.publishDelay });
  const refusal = decision.status === 'issued' ? null : decision;
  const view = decision.status === 'issued' ? decision.mail : weeklySignalView(reading.rows, at);
  if (view === null) return { refusal, message: null };
  const unsubscribeUrl = `${settings.publicUrl}/unsubscribe/preview`;
  return {
    refusal,
    message: {
      ...completeMail(renderWeeklySignal(view, settings), { unsubscribeUrl, checkpoint: null }),
      from: settings.from,
      to,
      returnPath: settings.from.address,
      // Mail programs hide a second mail with the same Message-ID.
      messageId: `<preview-${at}@${asciiDomainOf(settings.from.address)}>`,
      date: at,
      unsubscribeUrl,
    },
  };
}
