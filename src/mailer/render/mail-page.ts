import { DISCLAIMER } from '#views/signal-view.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { type Block, linkParagraph, paragraph, plainRow, spaced, textStyle } from './blocks.ts';
import { COLUMNS, wrapped } from './mail-text.ts';
import { html, type Markup } from './markup.ts';
import { darkSheets, paint } from './paint.ts';

/** A rendered mail. `html` and `text` have the same content. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The last row of a mail for all that ends with the checkpoint of the ledger. */
  readonly checkpointRow?: { readonly html: string; readonly text: string };
}

/** The settings that mails show. */
export type MailFrame = Pick<MailSettings, 'productName' | 'publicUrl' | 'postalAddress'>;

/** Placeholder for the unsubscribe link in a mail for all subscribers. The domain `.invalid` is reserved (RFC 2606). */
const UNSUBSCRIBE_PLACEHOLDER = 'https://unsubscribe.invalid/';
/** The place of the checkpoint's row in the HTML of all subscribers, and that of the checkpoint in this row. */
export const CHECKPOINT_PLACEHOLDER = '<!--checkpoint-->';

/** The first row of a mail: the name of the product, the kind of the mail and the time of its data. */
export function masthead(frame: MailFrame, kind: string, asOfText: string): Block {
  const { productName } = frame;
  const asOf = `As of ${asOfText}`;
  const name = html`<strong${paint({ ink: 'text' }, textStyle(20))}>${productName}</strong>`;
  return plainRow({
    html: html`<p${paint({ ink: 'secondary' }, textStyle(14, 'margin:0'))}>${name}&nbsp; ${kind}<br>${asOf}</p>`,
    text: [...wrapped(`${productName} - ${kind}`), ...wrapped(asOf)],
  });
}

/** The postal address of the sender; null if it is not configured. */
export function addressLine({ postalAddress }: MailFrame): Block | null {
  return postalAddress === null ? null : paragraph(postalAddress, 12, 'secondary', 10);
}

/** The last row of a mail to a subscriber. `why` is the reason for which the reader gets it. */
export function footer(frame: MailFrame, why: string, unsubscribeLabel: string): Block {
  const disclaimer = paragraph(DISCLAIMER, 12, 'secondary');
  return plainRow(
    { html: disclaimer.html, text: ['-'.repeat(COLUMNS), ...disclaimer.text] },
    paragraph(why, 12, 'secondary', 10),
    addressLine(frame),
    linkParagraph(unsubscribeLabel, UNSUBSCRIBE_PLACEHOLDER, 10),
  );
}

/** System fonts, so that a mail client fetches none. Single quotes: the list is part of an attribute. */
const FONTS = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** Invisible text, so that the list of a mail client shows no other text after the preheader. */
const FILLER = '&#8199;&#65279;&#847;'.repeat(25);

interface MailPage {
  readonly subject: string;
  /** Text that a mail client shows beside the subject in a list of mails, and that is not visible in the mail. */
  readonly preheader: string;
  /** The rows of the mail's only column. A row that this mail leaves out is null. */
  readonly rows: readonly (Block | null)[];
}

/** In wide windows, the content has more padding. */
const WIDE = '@media (min-width:600px){.roomy{padding:26px 32px !important}}';

/** Outlook renders mails with Word, which ignores a whole list of fonts if the first font is missing. */
const OUTLOOK: Markup = {
  markup: `<!--[if mso]>
<xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>
<style>body,table,td,th,p,a,h1,h2,strong,span,div{font-family:'Segoe UI',Arial,sans-serif !important;mso-line-height-rule:exactly}</style>
<![endif]-->`,
};

/** Renders a mail with one column of 600 px. The column is narrower on a narrow screen, except in Outlook. */
export function mailPage({ subject: title, preheader, rows }: MailPage): RenderedMail {
  const content = spaced(...rows);
  const body = html`<body ${paint({ fill: 'ground' }, 'margin:0;padding:0;-webkit-text-size-adjust:100%')}>
    <div aria-hidden="true" style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preheader}${{ markup: FILLER }}</div>
    <div role="article" aria-roledescription="email" aria-label="${title}" lang="en" dir="ltr">
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"${paint({ fill: 'ground' })}>
    <tr><td align="center" style="padding:20px 8px 28px;font-family:${{ markup: FONTS }};word-break:break-word;overflow-wrap:anywhere">
    <!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;table-layout:fixed">
    ${content.html}
    </table>
    <!--[if mso]></td></tr></table><![endif]-->
    </td></tr>
    </table>
    </div>
    </body>`;
  const page = html`<!doctype html>
    <html lang="en" dir="ltr" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="supported-color-schemes" content="light dark">
    <meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
    <meta name="x-apple-disable-message-reformatting">
    <title>${title}</title>
    ${OUTLOOK}
    <style>
    :root{color-scheme:light dark;supported-color-schemes:light dark}
    ${{ markup: WIDE }}
    </style>
    ${darkSheets(body)}
    </head>
    ${body}
    </html>
    `;
  return { subject: title, html: page.markup, text: `${content.text.join('\n')}\n` };
}

/**
 * Adds the link of one subscriber to a mail for all, and the current checkpoint of the ledger to a mail with a row for
 * it; null if there is none.
 */
export function completeMail(
  mail: RenderedMail,
  { unsubscribeUrl, checkpoint }: { unsubscribeUrl: string; checkpoint: string | null },
): RenderedMail {
  const link = html`${unsubscribeUrl}`.markup;
  const lines = checkpoint?.trimEnd() ?? '';
  const row = checkpoint === null ? undefined : mail.checkpointRow;
  const rowHtml = row?.html.replace(CHECKPOINT_PLACEHOLDER, () => html`${lines}`.markup) ?? '';
  const rowText = row === undefined ? '' : `\n${row.text.replace(CHECKPOINT_PLACEHOLDER, () => lines)}\n`;
  return {
    subject: mail.subject,
    html: mail.html
      .replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => link)
      .replace(CHECKPOINT_PLACEHOLDER, () => rowHtml),
    text: mail.text.replaceAll(UNSUBSCRIBE_PLACEHOLDER, () => unsubscribeUrl) + rowText,
  };
}
