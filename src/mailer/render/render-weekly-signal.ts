import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { displayAddress, printable } from '../safe-text.ts';
import { type Block, button, drawing, paragraph, plainRow } from './blocks.ts';
import {
  CHECKPOINT_PLACEHOLDER,
  footer,
  type MailFrame,
  mailPage,
  masthead,
  type RenderedMail,
} from './mail-page.ts';
import {
  breakdownCard,
  demoNotice,
  fearGreedCard,
  nextAndPriceCard,
  sinceLastWeekCard,
  verdictCard,
} from './signal-cards.ts';

/** Renders the mail of a week for all subscribers, before `completeMail`. Throws if `publicUrl` is no http(s) URL. */
export function renderWeeklySignal(weeklySignal: WeeklySignalView, mailFrame: MailFrame): RenderedMail {
  const view = printable(weeklySignal);
  const frame = printable(mailFrame);
  const why = `You get this because this address was subscribed to the weekly signal of ${frame.productName} at ${displayAddress(frame.publicUrl)}.`;
  return mailPage({
    subject: view.subject,
    preheader: view.headline,
    rows: [
      demoNotice(view),
      masthead(frame, 'Weekly signal', view.asOf.text),
      verdictCard(view),
      sinceLastWeekCard(view),
      breakdownCard(view),
      fearGreedCard(view),
      nextAndPriceCard(view),
      riskRow(view),
      plainRow(button('Open the dashboard', frame.publicUrl, 8)),
      footer(frame, why, 'Unsubscribe'),
      drawing({ markup: CHECKPOINT_PLACEHOLDER }),
    ],
  });
}

/** The line about the risk outlook; null without a current one. */
function riskRow({ riskText }: WeeklySignalView): Block | null {
  if (riskText === null) return null;
  const text = `${riskText} This says nothing about direction, and calm weeks come before crashes too.`;
  return plainRow(paragraph(text, 14, 'secondary'));
}
