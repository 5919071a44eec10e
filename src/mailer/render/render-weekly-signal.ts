import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { displayAddress, printable } from '../safe-text.ts';
import { type Block, button, drawing, paragraph, plainRow, textStyle } from './blocks.ts';
import {
  CHECKPOINT_PLACEHOLDER,
  footer,
  type MailFrame,
  mailPage,
  masthead,
  type RenderedMail,
} from './mail-page.ts';
import { html } from './markup.ts';
import { paint } from './paint.ts';
import {
  breakdownCard,
  demoNotice,
  fearGreedCard,
  nextAndPriceCard,
  sinceLastWeekCard,
  verdictCard,
} from './signal-cards.ts';

/** The place of the last row in the mail, and of the checkpoint in this row. */
const CHECKPOINT = { markup: CHECKPOINT_PLACEHOLDER };

/** Renders the mail of a week for all subscribers, before `completeMail`. Throws if `publicUrl` is no http(s) URL. */
export function renderWeeklySignal(weeklySignal: WeeklySignalView, mailFrame: MailFrame): RenderedMail {
  const view = printable(weeklySignal);
  const frame = printable(mailFrame);
  const why = `You get this because this address was subscribed to the weekly signal of ${frame.productName} at ${displayAddress(frame.publicUrl)}.`;
  const page = mailPage({
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
      drawing(CHECKPOINT),
    ],
  });
  const { html: row, text } = checkpointRow();
  return { ...page, checkpointRow: { html: row.markup, text: text.join('\n') } };
}

/** The line about the risk outlook; null without a current one. */
function riskRow({ riskText }: WeeklySignalView): Block | null {
  if (riskText === null) return null;
  const text = `${riskText} This says nothing about direction, and calm weeks come before crashes too.`;
  return plainRow(paragraph(text, 14, 'secondary'));
}

const CHECKPOINT_TEXT =
  'These lines prove the record: they are a checksum of every decision published so far. If a decision is changed later, the record no longer matches them.';

/** The checkpoint as the last row, with its line breaks, because `ledger verify` needs them. */
function checkpointRow(): Block {
  const look = paint({ ink: 'secondary' }, textStyle(12, 'margin:6px 0 0;white-space:pre-wrap'));
  const lines = { html: html`<pre${look}>${CHECKPOINT}</pre>`, text: [CHECKPOINT_PLACEHOLDER] };
  return plainRow(paragraph(CHECKPOINT_TEXT, 12, 'secondary'), lines);
}
