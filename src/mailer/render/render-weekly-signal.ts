import type { WeeklySignalView } from '#views/model.ts';
import { button, linkParagraph, paragraph, plainRow, ruled } from './blocks.ts';
import { type MailFrame, mailPage, type RenderedMail } from './mail-page.ts';
import { printable, printableText, spokenAddress } from './mail-text.ts';
import { breakdownCard, fearGreedCard, nextCard, sinceLastWeekCard } from './sections/detail-cards.ts';
import { demoNotice, masthead, verdictCard } from './sections/verdict-card.ts';

interface SignalFrame extends MailFrame {
  readonly unsubscribeUrl: string;
}

/** The mail of a week for one subscriber. Throws if an address of the frame is not an http(s) URL. */
export function renderWeeklySignal(stored: WeeklySignalView, frame: SignalFrame): RenderedMail {
  const view = printable(stored);
  const { dashboardUrl, unsubscribeUrl } = frame;
  const productName = printableText(frame.productName);
  const postalAddress = frame.postalAddress === null ? null : printableText(frame.postalAddress);
  const why = `You get this because this address was subscribed to the weekly signal of ${productName} at ${spokenAddress(dashboardUrl)}.`;
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
      plainRow(button('Open the dashboard', dashboardUrl, 8)),
      plainRow(
        ruled(paragraph(view.disclaimer, 12, 'secondary')),
        paragraph(why, 12, 'secondary', 10),
        postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10),
        linkParagraph('Unsubscribe', unsubscribeUrl, 10),
      ),
    ],
  });
}
