import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { type Block, button, paragraph, plainRow, textStyle } from './blocks.ts';
import { footer, type MailFrame, mailPage, masthead, type RenderedMail } from './mail-page.ts';
import { displayAddress, printable, printableText } from './mail-text.ts';
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

interface SignalFrame extends MailFrame {
  readonly unsubscribeUrl?: string;
}

/** Renders the mail of a week, by default for all: `completeMail` adds the rest. Throws for a URL without http(s). */
export function renderWeeklySignal(
  weeklySignal: WeeklySignalView,
  { unsubscribeUrl = UNSUBSCRIBE_PLACEHOLDER, ...frame }: SignalFrame,
): RenderedMail {
  const view = printable(weeklySignal);
  const why = `You get this because this address was subscribed to the weekly signal of ${printableText(frame.productName)} at ${displayAddress(frame.publicUrl)}.`;
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
      footer(frame, why, { label: 'Unsubscribe', url: unsubscribeUrl }),
      { html: { markup: CHECKPOINT_PLACEHOLDER }, text: [] },
    ],
  });
}

/** The line about the risk outlook; null without a current one. */
function riskRow({ riskText }: WeeklySignalView): Block | null {
  if (riskText === null) return null;
  const text = `${riskText} This says nothing about direction, and calm weeks come before crashes too.`;
  return plainRow(paragraph(text, 14, 'secondary'));
}

/** Placeholder for the unsubscribe link in a mail for all subscribers. The domain `.invalid` is reserved (RFC 2606). */
export const UNSUBSCRIBE_PLACEHOLDER = 'https://unsubscribe.invalid/';
/** The place of the checkpoint in the HTML of all subscribers. The plain text has it at its end. */
const CHECKPOINT_PLACEHOLDER = '<!--checkpoint-->';

const CHECKPOINT_TEXT =
  'These lines prove the record: they are a checksum of every decision published so far. If a decision is changed later, the record no longer matches them.';

/** The checkpoint as the last row, with its line breaks, because `ledger verify` needs them. */
function checkpointRow(checkpoint: string): Block {
  const lines = html`<pre${paint({ ink: 'secondary' }, textStyle(12, 'margin:6px 0 0;white-space:pre-wrap'))}>${checkpoint.trimEnd()}</pre>`;
  return plainRow(paragraph(CHECKPOINT_TEXT, 12, 'secondary'), {
    html: lines,
    text: checkpoint.trimEnd().split('\n'),
  });
}

interface PersonalParts {
  readonly unsubscribeUrl: string;
  /** The current checkpoint of the ledger; null if there is none. */
  readonly checkpoint: string | null;
}

/** Adds the parts that differ by subscriber, and the checkpoint to a mail with a place for it (the weekly signal). */
export function completeMail(
  mail: RenderedMail,
  { unsubscribeUrl, checkpoint }: PersonalParts,
): RenderedMail {
  const { markup } = html`${unsubscribeUrl}`;
  const isPlaced = mail.html.includes(CHECKPOINT_PLACEHOLDER);
  const row = checkpoint === null || !isPlaced ? null : checkpointRow(checkpoint);
  return {
    subject: mail.subject,
    html: mail.html
      .replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => markup)
      .replace(CHECKPOINT_PLACEHOLDER, () => row?.html.markup ?? ''),
    text: `${mail.text.replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => unsubscribeUrl)}${row === null ? '' : `\n${row.text.join('\n')}\n`}`,
  };
}
