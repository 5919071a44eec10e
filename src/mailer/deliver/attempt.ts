import type { ClaimedDelivery } from './claims.ts';
import { isDeliverable } from './deliverable.ts';
import { MailCannotBeMade, type MakeLetter } from './letter.ts';
import type { Outcome } from './outcome.ts';
import type { MailTransport } from './transport.ts';

const NOT_COMPOSED = 'A mail was refused before it was sent: it cannot be put into the form of a mail.';

/**
 * Makes a mail and sends it. `problem` is for the operator, where the mail and not the server is to blame; what cannot
 * be made here is put off, as another process, of another version, may be able to. Rejects only where the database does.
 */
export async function attempt(
  delivery: ClaimedDelivery,
  { makeLetter, transport }: { makeLetter: MakeLetter; transport: MailTransport },
): Promise<{ outcome: Outcome; problem: string | null }> {
  const refused = (isAddress: boolean) => ({ result: 'refused', smtpStatus: null, isAddress }) as const;
  if (!isDeliverable(delivery.email)) return { outcome: refused(true), problem: null };
  try {
    const outcome = await transport.send(await makeLetter(delivery));
    const isOurs = outcome.result === 'refused' && outcome.smtpStatus === null && !outcome.isAddress;
    return { outcome, problem: isOurs ? NOT_COMPOSED : null };
  } catch (error) {
    if (!(error instanceof MailCannotBeMade)) throw error;
    return { outcome: { result: 'later', smtpStatus: null }, problem: error.message };
  }
}
