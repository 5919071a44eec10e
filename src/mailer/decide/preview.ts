import { weeklySignalView } from '#views/weekly-signal-view.ts';
import type { MailMessage } from '../deliver/send-mails.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { completeMail } from '../render/mail-page.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import { asciiDomainOf } from '../safe-text.ts';
import { decideSignalAt, type MarketReading } from './decide-week.ts';
import type { WithholdReason } from './withhold-reason.ts';

/** The weekly signal that would be decided now, as a mail to a sample recipient. */
export interface Preview {
  /** The reason why the signal would be withheld; null if it would be issued. */
  readonly refusal: WithholdReason | null;
  /** Null if the rows do not yield a verdict. */
  readonly message: MailMessage | null;
}

/** The mail of a reading at `at`, even if it would be withheld. Its unsubscribe link is invalid. */
export function makePreview(
  reading: MarketReading,
  {
    settings,
    at,
    to = 'reader@example.org',
  }: { settings: MailSettings; at: number; to?: string | undefined },
): Preview {
  const decision = decideSignalAt(reading, { now: at, at, delay: settings.publishDelay });
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
      returnPath: null,
      // Mail programs hide a second mail with the same Message-ID.
      messageId: `<preview-${at}@${asciiDomainOf(settings.from.address)}>`,
      date: at,
      unsubscribeUrl,
    },
  };
}
