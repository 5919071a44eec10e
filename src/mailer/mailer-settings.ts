/** When the weekly signal is due, in New York time. */
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
  /** Null if mails are written into the outbox folder instead. */
  readonly smtpUrl: string | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The sender's postal address in one line, which many countries require; null omits it. */
  readonly postalAddress: string | null;
  /** Maximum number of mails per second of this process. */
  readonly perSecond: number;
  /** Folder for .eml files if there is no SMTP server. */
  readonly outboxFolder: string;
  /** True if new subscribers must confirm their address. */
  readonly asksToConfirm: boolean;
  readonly signalTime: SignalTime;
}
