import { weeklySignalView } from '#views/weekly-signal-view.ts';
import { decideSignalOfWeek, type MarketReading, readingInstant } from './decide/decision.ts';
import type { MailMessage } from './deliver/transport.ts';
import type { MailSettings } from './mailer-settings.ts';
import { renderWeeklySignal } from './render/render-weekly-signal.ts';

/** The weekly signal as it would be decided now, with a sample recipient. */
export interface Preview {
  /** The reason for which it would be withheld, in one sentence; null if it would be issued. */
  readonly refusal: string | null;
  /** Null if the rows have no verdict. */
  readonly message: MailMessage | null;
}

interface PreviewOptions {
  readonly settings: MailSettings;
  readonly readMarket: (now: number) => Promise<MarketReading>;
  readonly now: () => number;
}

/** Makes the mail of the current rows, even if it would be withheld. Its unsubscribe link is invalid. */
export async function makePreview({ settings, readMarket, now }: PreviewOptions): Promise<Preview> {
  const at = now();
  const reading = await readMarket(readingInstant(at));
  const decision = decideSignalOfWeek(reading, { now: at, at });
  const refusal = decision.status === 'issued' ? null : decision.reason;
  const view = decision.status === 'issued' ? decision.mail : weeklySignalView(reading.rows, at);
  if (view === null) return { refusal, message: null };
  const unsubscribeUrl = `${settings.publicUrl}/unsubscribe/preview`;
  return {
    refusal,
    message: {
      ...renderWeeklySignal(view, { ...settings, unsubscribeUrl }),
      from: settings.from,
      to: 'reader@example.org',
      messageId: '<preview@localhost>',
      date: at,
      unsubscribeUrl,
    },
  };
}
