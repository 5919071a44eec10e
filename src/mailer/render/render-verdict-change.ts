import type { Verdict } from '#domain/bands/score-bands.ts';
import { writeDay } from '#views/day.ts';
import { DISCLAIMER } from '#views/signal-view.ts';
import {
  type Block,
  button,
  card,
  FIGURES,
  linkParagraph,
  paragraph,
  plainRow,
  ruled,
  textStyle,
} from './blocks.ts';
import { VERDICT_HUES } from './mail-colours.ts';
import { type MailFrame, mailPage, type RenderedMail } from './mail-page.ts';
import { displayAddress, printableText } from './mail-text.ts';
import { html } from './markup.ts';
import { paint } from './paint.ts';
import { wrapped } from './plain.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from './render-weekly-signal.ts';

/** A change of the verdict that two closes in a row have confirmed. */
export interface VerdictChange {
  readonly id: number;
  /** The session of the second close, `YYYY-MM-DD`. */
  readonly session: string;
  /** Time at which the change was recorded (epoch milliseconds). */
  readonly at: number;
  readonly from: Verdict;
  readonly to: Verdict;
  /** Score of the signal, from 0 to 100. */
  readonly score: number;
  readonly source: string;
  readonly formulaVersion: string;
}

function masthead(productName: string, session: string): Block {
  const kind = 'Change of the verdict';
  const asOf = `As of ${writeDay(session)}, close`;
  const name = html`<strong${paint({ ink: 'text' }, textStyle(20))}>${productName}</strong>`;
  return plainRow({
    html: html`<p${paint({ ink: 'secondary' }, textStyle(14, 'margin:0'))}>${name}&nbsp; ${kind}<br>${asOf}</p>`,
    text: [...wrapped(`${productName} - ${kind}`), ...wrapped(asOf)],
  });
}

function verdictTitle({ to, score }: VerdictChange): Block {
  const word = paint({ ink: `${VERDICT_HUES[to]}-word` }, textStyle(44, 'font-weight:800'));
  const figure = paint({ ink: 'text' }, textStyle(28, `font-weight:400;${FIGURES}`));
  const unit = paint({ ink: 'secondary' }, textStyle(14, 'font-weight:400'));
  const text = score.toFixed(1);
  return {
    html: html`<h1 style="margin:0"><span${word}>${to}</span>&nbsp; <span${figure}>${text}</span> <span${unit}>of 100</span></h1>`,
    text: [`${to}  ${text} of 100`],
  };
}

/**
 * Renders the mail of a change for all subscribers. `completeMail` adds the parts that differ by subscriber. Throws if
 * `publicUrl` is not an http(s) URL.
 */
export function renderVerdictChange(change: VerdictChange, frame: MailFrame): RenderedMail {
  const { from, to, session } = change;
  const productName = printableText(frame.productName);
  const postalAddress = frame.postalAddress === null ? null : printableText(frame.postalAddress);
  const headline = `The verdict changed from ${from} to ${to}.`;
  const why = `You get this because this address asked ${productName} at ${displayAddress(frame.publicUrl)} for a mail when the verdict changes.`;
  return mailPage({
    subject: `${from} to ${to}: the verdict changed`,
    preheader: headline,
    rows: [
      masthead(productName, session),
      card(
        verdictTitle(change),
        paragraph(headline, 20, 'text', 6),
        paragraph(
          `It has stood for two closes in a row, the last of them on ${writeDay(session)}. It describes the market and does not forecast it.`,
          14,
          'secondary',
          10,
        ),
      ),
      plainRow(button('Open the dashboard', frame.publicUrl, 8)),
      plainRow(
        ruled(paragraph(DISCLAIMER, 12, 'secondary')),
        paragraph(why, 12, 'secondary', 10),
        postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10),
        linkParagraph('Unsubscribe, or stop only these mails', UNSUBSCRIBE_PLACEHOLDER, 10),
      ),
    ],
  });
}
