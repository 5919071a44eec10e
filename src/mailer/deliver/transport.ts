/** A mail to one address. */
export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  /** The envelope sender, which is the address to which bounces are sent; null to use the sender's address. */
  readonly returnPath: string | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The Message-ID in angle brackets. It is the same at each attempt. */
  readonly messageId: string;
  /** Date of the mail (epoch milliseconds). */
  readonly date: number;
  /** The URL that unsubscribes when it receives a POST request (RFC 8058); null for a confirmation mail. */
  readonly unsubscribeUrl: string | null;
}

/**
 * Result of one attempt. `reply` has the codes of the server's reply, such as '550 5.1.1'; null without a reply.
 * - `refused`: the server refuses the mail permanently (5xx). `isAddress` is true if the address of the recipient is the
 *   cause, and false if the mail or the sender is.
 * - `later`: a later attempt may succeed (4xx, connection lost). `reason` is one plain sentence for the operator; it is
 *   missing if the mail server is the cause.
 * - `away`: the server accepts no mails at the moment (unreachable, login or sender refused, 421), and this mail is not the
 *   cause. `reason` is one plain sentence without address or password.
 */
export type Outcome =
  | { readonly result: 'sent' }
  | { readonly result: 'refused'; readonly reply: string | null; readonly isAddress: boolean }
  | { readonly result: 'later'; readonly reply: string | null; readonly reason?: string }
  | { readonly result: 'away'; readonly reply: string | null; readonly reason: string };

/** Sends mails to an SMTP server or writes them into the outbox folder. */
export interface MailTransport {
  /** Maximum number of mails sent at the same time. */
  readonly connections: number;
  /** Never rejects. */
  send(message: MailMessage): Promise<Outcome>;
  close(): Promise<void>;
}
