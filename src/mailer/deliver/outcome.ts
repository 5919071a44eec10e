/**
 * How a try to deliver one mail ended. `smtpStatus` is the server's reply as numbers ('550 5.1.1'), null without one.
 * - `refused`: for good (5xx); `isAddress` where it is about the recipient, not about the mail or the sender.
 * - `later`: this mail may go through another time (4xx, a connection lost on the way).
 * - `away`: the server takes no mail at all at the moment (unreachable, login refused, sender refused, 421);
 *   says nothing about the mail. `reason` is one plain sentence without address or credential.
 */
export type Outcome =
  | { readonly result: 'sent' }
  | { readonly result: 'refused'; readonly smtpStatus: string | null; readonly isAddress: boolean }
  | { readonly result: 'later'; readonly smtpStatus: string | null }
  | { readonly result: 'away'; readonly smtpStatus: string | null; readonly reason: string };
