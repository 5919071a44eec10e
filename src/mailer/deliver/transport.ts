import type { MailMessage } from './message.ts';
import type { Outcome } from './outcome.ts';

/** What takes mails: an SMTP server, or the outbox folder. */
export interface MailTransport {
  /** How many mails may be under way at once. */
  readonly connections: number;
  /** Never rejects. */
  send(message: MailMessage): Promise<Outcome>;
  close(): Promise<void>;
}
