/** A mail on its way to one address. */
export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** With its angle brackets; the same each time the mail is tried. */
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly date: number;
  /** Where a bare POST unsubscribes (RFC 8058); null on a mail of no list. */
  readonly unsubscribeUrl: string | null;
}
