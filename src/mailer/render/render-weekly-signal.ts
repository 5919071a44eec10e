import type { WeeklySignalView } from '#views/model.ts';
import { button, linkParagraph, paragraph, plainRow, ruled } from './blocks.ts';
import { type MailFrame, mailPage, type RenderedMail } from './mail-page.ts';
import { displayAddress, printable, printableText } from './mail-text.ts';
import { html } from './markup.ts';
import { breakdownCard, fearGreedCard, nextCard, sinceLastWeekCard } from './sections/detail-cards.ts';
import { demoNotice, masthead, verdictCard } from './sections/verdict-card.ts';

interface SignalFrame extends MailFrame {
  readonly unsubscribeUrl: string;
}

/** The mail of a week for one subscriber. Throws if a URL of the frame is not an http(s) URL. */
export function renderWeeklySignal(
  weeklySignal: WeeklySignalView,
  { publicUrl, unsubscribeUrl, ...frame }: SignalFrame,
): RenderedMail {
  const view = printable(weeklySignal);
  const productName = printableText(frame.productName);
  const postalAddress = frame.postalAddress === null ? null : printableText(frame.postalAddress);
  const why = `You get this because this address was subscribed to the weekly signal of ${productName} at ${displayAddress(publicUrl)}.`;
  return mailPage({
    subject: view.subject,
    preheader: view.headline,
    rows: [
      demoNotice(view),
      masthead(productName, view),
      verdictCard(view),
      sinceLastWeekCard(view),
      breakdownCard(view),
      fearGreedCard(view),
      nextCard(view),
      plainRow(button('Open the dashboard', publicUrl, 8)),
      plainRow(
        ruled(paragraph(view.disclaimer, 12, 'secondary')),
        paragraph(why, 12, 'secondary', 10),
        postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10),
        linkParagraph('Unsubscribe', unsubscribeUrl, 10),
      ),
    ],
  });
}

/** Placeholder for the unsubscribe link in a mail to all subscribers. `.invalid` is a reserved domain (RFC 2606). */
const UNSUBSCRIBE_PLACEHOLDER = 'https://unsubscribe.invalid/';

/** The mail of a week for all subscribers; `withUnsubscribeUrl` adds the link of each. */
export function renderForAll(view: WeeklySignalView, frame: MailFrame): RenderedMail {
  return renderWeeklySignal(view, { ...frame, unsubscribeUrl: UNSUBSCRIBE_PLACEHOLDER });
}

/** The mail of a week for one subscriber, from the mail for all. */
export function withUnsubscribeUrl(mail: RenderedMail, unsubscribeUrl: string): RenderedMail {
  const { markup } = html`${unsubscribeUrl}`;
  return {
    subject: mail.subject,
    html: mail.html.replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => markup),
    text: mail.text.replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => unsubscribeUrl),
  };
}
