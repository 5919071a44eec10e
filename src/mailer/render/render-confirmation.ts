import { DAYS_TO_CONFIRM } from '../subscribers/subscription.ts';
import { button, cardRow, link, paragraph, plainRow, writing } from './blocks.ts';
import type { MailFrame, RenderedMail } from './mail-page.ts';
import { mailPage } from './mail-page.ts';
import { printableText, spokenAddress, webAddress } from './mail-text.ts';
import { html } from './markup.ts';
import { paint } from './paint.ts';
import { underlined, wrapped } from './plain.ts';

const WORDS = {
  title: 'Confirm your subscription',
  button: 'Confirm',
  next: `This opens a page with one more button, so that nothing but a person can confirm. You can do so for ${DAYS_TO_CONFIRM} days.`,
  plainLink: 'If the button does not work, open this address:',
  ignore:
    'It was not you? Then do nothing: nobody is subscribed without an answer, and no other mail follows.',
} as const;

interface ConfirmationFrame extends MailFrame {
  readonly confirmUrl: string;
}

/** The question to a new subscriber. Throws where an address of the frame is none of the web. */
export function renderConfirmation(frame: ConfirmationFrame): RenderedMail {
  const productName = printableText(frame.productName);
  const postalAddress = frame.postalAddress === null ? null : printableText(frame.postalAddress);
  const confirmUrl = webAddress(frame.confirmUrl);
  const subject = `${WORDS.title} to ${productName}`;
  const asked = `Somebody, most likely you, asked at ${spokenAddress(frame.dashboardUrl)} for the weekly signal of ${productName} to be sent to this address.`;
  const page = mailPage({
    title: subject,
    preheader: asked,
    rows: [
      plainRow(
        html`<p style="margin:0"><strong${paint({ ink: 'text' }, writing(20, 'font-weight:700'))}>${productName}</strong></p>`,
      ),
      cardRow(html`
        <h1${paint({ ink: 'text' }, writing(28, 'margin:0;font-weight:700'))}>${WORDS.title}</h1>
        ${paragraph(asked, 16, 'text', 10)}
        <div style="padding:24px 0">${button(WORDS.button, confirmUrl)}</div>
        ${paragraph(WORDS.next, 14, 'secondary')}
        ${paragraph(WORDS.ignore, 14, 'secondary', 10)}`),
      plainRow(html`
        ${paragraph(html`${WORDS.plainLink}<br>${link(confirmUrl, confirmUrl)}`, 12, 'secondary')}
        ${postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10)}`),
    ],
  });
  const text = [
    ...wrapped(productName),
    '',
    ...underlined(WORDS.title),
    ...wrapped(asked),
    '',
    `${WORDS.button}:`,
    confirmUrl,
    '',
    ...wrapped(WORDS.next),
    '',
    ...wrapped(WORDS.ignore),
    ...(postalAddress === null ? [] : ['', ...wrapped(postalAddress)]),
  ];
  return { subject, html: page, text: `${text.join('\n')}\n` };
}
