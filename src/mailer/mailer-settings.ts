/** When the weekly signal falls due, New York time. */
export interface SignalTime {
  /** 1 Monday … 7 Sunday. */
  readonly weekday: number;
  /** Minutes past midnight. */
  readonly minutes: number;
}

export interface MailSettings {
  readonly productName: string;
  /** Absolute address of the dashboard without a trailing slash; the base of links. */
  readonly publicUrl: string;
  /** Null if mails are written into the outbox instead of sent. */
  readonly smtpUrl: string | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The sender's postal address, one line, which many laws require; null leaves it out. */
  readonly postalAddress: string | null;
  /** Maximum number of mails per second of this process. */
  readonly perSecond: number;
  /** Folder of the .eml files without an SMTP server. */
  readonly outboxFolder: string;
  readonly asksToConfirm: boolean;
  readonly signalTime: SignalTime;
}
