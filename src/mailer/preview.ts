import { weeklySignalView } from '#views/weekly-signal.ts';
import { decideSignalOfWeek } from './decide/decide.ts';
import { type MarketReading, readingInstant } from './decide/reading.ts';
import type { MailMessage } from './deliver/message.ts';
import { renderWeeklySignal } from './render/weekly-signal.ts';
import type { MailSettings } from './settings.ts';

/** The weekly signal as it would be decided at a moment, to nobody. */
export interface Preview {
  /** Why it would be withheld, in one plain sentence; null where it would be issued. */
  readonly refusal: string | null;
  /** Null where there is no verdict to tell. */
  readonly message: MailMessage | null;
}

interface PreviewOptions {
  readonly settings: MailSettings;
  readonly readMarket: (now: number) => Promise<MarketReading>;
  readonly now: () => number;
}

/** Makes the mail of the market as it is, also where it would be withheld. Its link to leave is nobody's. */
export async function makePreview({ settings, readMarket, now }: PreviewOptions): Promise<Preview> {
  const at = now();
  const reading = await readMarket(readingInstant(at));
  const decision = decideSignalOfWeek(reading, { now: at, at });
  const refusal = decision.status === 'issued' ? null : decision.reason;
  const view = decision.status === 'issued' ? decision.mail : weeklySignalView(reading.rows, at);
  if (view === null) return { refusal, message: null };
  const { productName, publicUrl, postalAddress, from } = settings;
  const unsubscribeUrl = `${publicUrl}/unsubscribe/preview`;
  const rendered = renderWeeklySignal(view, {
    productName,
    dashboardUrl: publicUrl,
    postalAddress,
    unsubscribeUrl,
  });
  return {
    refusal,
    message: {
      ...rendered,
      from,
      to: 'reader@example.org',
      messageId: '<preview@localhost>',
      date: at,
      unsubscribeUrl,
    },
  };
}
