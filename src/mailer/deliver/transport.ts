/** A mail to one address. */
export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** With its angle brackets; the same at each try. */
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly date: number;
  /** Address at which a bare POST unsubscribes (RFC 8058); null on a mail of no list. */
  readonly unsubscribeUrl: string | null;
}

/**
 * Result of one try. `smtpStatus` is the server's reply as numbers ('550 5.1.1'), null without one.
 * - `refused`: for good (5xx); `isAddress` if it is about the recipient, not the mail or the sender.
 * - `later`: this mail may go through another time (4xx, connection lost).
 * - `away`: the server takes no mail at all at the moment (unreachable, login or sender refused, 421). Says nothing about
 *   the mail. `reason` is one plain sentence without address or credential.
 */
export type Outcome =
  | { readonly result: 'sent' }
  | { readonly result: 'refused'; readonly smtpStatus: string | null; readonly isAddress: boolean }
  | { readonly result: 'later'; readonly smtpStatus: string | null }
  | { readonly result: 'away'; readonly smtpStatus: string | null; readonly reason: string };

/** Takes mails: an SMTP server, or the outbox folder. */
export interface MailTransport {
  /** Maximum number of mails sent at once. */
  readonly connections: number;
  /** Never rejects. */
  send(message: MailMessage): Promise<Outcome>;
  close(): Promise<void>;
}
