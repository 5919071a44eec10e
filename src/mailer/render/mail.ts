/** A mail's words; `html` and `text` say the same. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/** What stands around every mail. Addresses are absolute. */
export interface MailFrame {
  readonly productName: string;
  readonly dashboardUrl: string;
  readonly postalAddress: string | null;
}
