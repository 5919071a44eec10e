import { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { classify, type SmtpFailure } from './classify.ts';
import { serverOf } from './smtp.ts';

/**
 * Whether the mail server can be reached and takes the login: null where it does, else why not, in one plain sentence
 * without the login. Sends nothing, and waits `patience` ms for each answer and three times that in all.
 */
export async function askSmtp(smtpUrl: string, patience: number): Promise<string | null> {
  // Of ours, to end it: an answer that drips for ever is never silent.
  const socket = new Socket();
  const transport = createTransport({
    ...serverOf(smtpUrl),
    socket,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    dnsTimeout: patience,
    allowInternalNetworkInterfaces: true,
  });
  const deadline = setTimeout(() => socket.destroy(), 3 * patience);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const outcome = classify(error as SmtpFailure);
    return outcome.result === 'away'
      ? outcome.reason
      : 'The mail server did not answer as one; check SMTP_URL.';
  } finally {
    clearTimeout(deadline);
    transport.close();
  }
}
