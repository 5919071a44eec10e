import type { Verdict } from '#domain/bands/score-bands.ts';
import { writeDay } from '#views/day.ts';
import { displayAddress, printable } from '../safe-text.ts';
import { button, card, paragraph, plainRow } from './blocks.ts';
import { footer, type MailFrame, mailPage, masthead, type RenderedMail } from './mail-page.ts';
import { verdictTitle } from './signal-cards.ts';

/** A change of the verdict that two closes in a row have confirmed. */
export interface VerdictChange {
  readonly id: number;
  /** The session of the second close, `YYYY-MM-DD`. */
  readonly session: string;
  /** Time at which the change was recorded (epoch ms). */
  readonly at: number;
  readonly from: Verdict;
  readonly to: Verdict;
  /** From 0 to 100. */
  readonly score: number;
  readonly source: string;
  readonly formulaVersion: string;
}

/** The mail of a change for all subscribers, before `completeMail`. Throws if `publicUrl` is no http(s) URL. */
export function renderVerdictChange(change: VerdictChange, mailFrame: MailFrame): RenderedMail {
  const frame = printable(mailFrame);
  const { from, to, session, score } = change;
  const headline = `The verdict changed from ${from} to ${to}.`;
  const why = `You get this because this address asked ${frame.productName} at ${displayAddress(frame.publicUrl)} for a mail when the verdict changes.`;
  return mailPage({
    subject: `${from} to ${to}: the verdict changed`,
    preheader: headline,
    rows: [
      masthead(frame, 'Change of the verdict', `${writeDay(session)}, close`),
      card(
        verdictTitle(to, score.toFixed(1)),
        paragraph(headline, 20, 'text', 6),
        paragraph(
          `The last two closes have this verdict, the second on ${writeDay(session)}.`,
          14,
          'secondary',
          10,
        ),
      ),
      plainRow(button('Open the dashboard', frame.publicUrl, 8)),
      footer(frame, why, 'Unsubscribe, or stop only these mails'),
    ],
  });
}
