/** The time at which the weekly signal is due, in New York. */
export interface SignalTime {
  /** Day of the week, from 1 for Monday to 7 for Sunday. */
  readonly weekday: number;
  /** Minutes since midnight. */
  readonly minutes: number;
}

export interface MailSettings {
  readonly productName: string;
  /** Absolute address of the dashboard without a trailing slash. Links begin with it. */
  readonly publicUrl: string;
  /** URL of the mail server; null to write mails into the outbox folder instead. */
  readonly smtpUrl: string | null;
  readonly from: { readonly name: string; readonly address: string };
  /** The address from which envelope senders are made, to receive bounces; null to use that of `from`. */
  readonly bounceAddress: string | null;
  /** The sender's postal address in one line, which many countries require in such mails; null to leave it out. */
  readonly postalAddress: string | null;
  /** Maximum number of mails per second of this process. */
  readonly perSecond: number;
  /** Folder into which mails are written as .eml files if there is no mail server. */
  readonly outboxFolder: string;
  readonly doubleOptIn: boolean;
  readonly signalTime: SignalTime;
  /** Number of sessions after which a session is published, and the signal is decided from it; 0 by default. */
  readonly publishDelay?: number | undefined;
}
