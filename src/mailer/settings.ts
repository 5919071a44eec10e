/** When the signal of a week is decided, on New York's clocks. */
export interface SignalTime {
  /** 1 Monday … 7 Sunday. */
  readonly weekday: number;
  /** Minutes past midnight. */
  readonly minutes: number;
}

/** What the mailer is configured with. */
export interface MailSettings {
  readonly productName: string;
  /** Where visitors reach the dashboard, absolute, without a trailing slash; links are made on it. */
  readonly publicUrl: string;
  /** Null where mails are written into the outbox instead of sent. */
  readonly smtpUrl: string | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The sender's postal address, one line, as the law of many places wants it; null leaves it out. */
  readonly postalAddress: string | null;
  /** Mails a second that this process sends at most. */
  readonly perSecond: number;
  /** Where the .eml files go without an SMTP server. */
  readonly outboxFolder: string;
  readonly asksToConfirm: boolean;
  readonly signalTime: SignalTime;
}
