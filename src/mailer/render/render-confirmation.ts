import { displayAddress, printable } from '../safe-text.ts';
import { DAYS_TO_CONFIRM } from '../subscribers/subscription.ts';
import {
  type Block,
  button,
  card,
  drawing,
  link,
  paragraph,
  plainRow,
  stacked,
  textBlock,
  textStyle,
} from './blocks.ts';
import { addressLine, type MailFrame, mailPage, type RenderedMail } from './mail-page.ts';
import { underlined } from './mail-text.ts';
import { html } from './markup.ts';
import { paint } from './paint.ts';

const TITLE = 'Confirm your subscription';
const NEXT = `The link opens a page with one more button, so that only a person can confirm. It is valid for ${DAYS_TO_CONFIRM} days.`;
const IGNORE =
  'If this was not you, do nothing. Without a confirmation this address is not subscribed and gets no other mail.';

/** Renders the mail that asks a new subscriber to confirm. Throws if a URL is not an http(s) URL. */
export function renderConfirmation(mailFrame: MailFrame, confirmUrl: string): RenderedMail {
  const frame = printable(mailFrame);
  const { productName } = frame;
  const subject = `${TITLE} to ${productName}`;
  const request = `Somebody, most likely you, asked at ${displayAddress(frame.publicUrl)} for the weekly signal of ${productName} to be sent to this address.`;
  const name = html`<p style="margin:0"><strong${paint({ ink: 'text' }, textStyle(20, 'font-weight:700'))}>${productName}</strong></p>`;
  const title: Block = {
    html: html`<h1${paint({ ink: 'text' }, textStyle(28, 'margin:0;font-weight:700'))}>${TITLE}</h1>`,
    text: underlined(TITLE),
  };
  // Only the HTML needs this link, because the plain text already shows the URL of the button.
  const plainLink = paragraph(
    html`If the button does not work, open this address:<br>${link(confirmUrl, confirmUrl)}`,
    12,
    'secondary',
  );
  return mailPage({
    subject,
    preheader: request,
    rows: [
      plainRow(textBlock(name)),
      card(
        stacked(title, paragraph(request, 16, 'text', 10)),
        button('Confirm', confirmUrl, 24),
        paragraph(NEXT, 14, 'secondary'),
        paragraph(IGNORE, 14, 'secondary', 10),
      ),
      plainRow(drawing(plainLink.html), addressLine(frame)),
    ],
  });
}
