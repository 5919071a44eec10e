/** A mail to one address. */
export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** In angle brackets; the same at each try. */
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly date: number;
  /** The URL that unsubscribes by a POST (RFC 8058); null for a confirmation mail. */
  readonly unsubscribeUrl: string | null;
}

/**
 * Result of one try. `smtpStatus` has the codes of the server's reply ('550 5.1.1'), null without a reply.
 * - `refused`: permanently (5xx); `isAddress` is true if the recipient is the cause, not the mail or the sender.
 * - `later`: this mail may succeed later (4xx, connection lost).
 * - `away`: the server takes no mail at all at the moment (unreachable, login or sender refused, 421); the mail is not the
 *   cause. `reason` is one plain sentence without address or credential.
 */
export type Outcome =
  | { readonly result: 'sent' }
  | { readonly result: 'refused'; readonly smtpStatus: string | null; readonly isAddress: boolean }
  | { readonly result: 'later'; readonly smtpStatus: string | null }
  | { readonly result: 'away'; readonly smtpStatus: string | null; readonly reason: string };

/** Sends mails to an SMTP server or writes them into the outbox folder. */
export interface MailTransport {
  /** Maximum number of mails sent at the same time. */
  readonly connections: number;
  /** Never rejects. */
  send(message: MailMessage): Promise<Outcome>;
  close(): Promise<void>;
}
