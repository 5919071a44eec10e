import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailSettings } from '../settings.ts';
import { classify, type SmtpFailure } from './classify.ts';
import { composeMessage } from './compose.ts';
import type { Outcome } from './outcome.ts';
import { createPace } from './pace.ts';
import type { MailTransport } from './transport.ts';

/** How long the server may take (ms). */
export interface SmtpPatience {
  readonly connect: number;
  readonly greeting: number;
  /** Without a word, once connected. */
  readonly silent: number;
  /** For one mail in all, its connection included. */
  readonly mail: number;
}

const PATIENCE: SmtpPatience = { connect: 10_000, greeting: 10_000, silent: 60_000, mail: 120_000 };
/** Mails under way at once. */
const CONNECTIONS = 5;
/** A server that does not close its side of a connection loses it after so long (ms). */
const CLOSING = 1_000;

/**
 * Opens a pool of connections to the server of `settings.smtpUrl`; nothing is sent yet. TLS from the start with
 * `smtps:`, otherwise as soon as the server offers it, which it has to where it takes a login. Throws where the address
 * is none.
 */
export function openSmtp(settings: MailSettings, patience: SmtpPatience = PATIENCE): MailTransport {
  const transport = createTransport({
    ...serverOf(settings.smtpUrl ?? ''),
    pool: true,
    maxConnections: CONNECTIONS,
    // Once, and only a mail of which not a byte was sent, when a connection in use since long turns out to be dead.
    // What was lost on the way is tried again by its row, not by the pool.
    maxRequeues: 1,
    connectionTimeout: patience.connect,
    greetingTimeout: patience.greeting,
    socketTimeout: patience.silent,
    socketCloseTimeout: CLOSING,
    dnsTimeout: patience.connect,
    // A mail server on this machine, reached by its name, is no attack here: the operator names the server.
    allowInternalNetworkInterfaces: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Not the pool's own rate, which each of its connections may go over.
  const pace = createPace(settings.perSecond);
  return {
    connections: CONNECTIONS,
    send: async (message): Promise<Outcome> => {
      let composed: SendMailOptions;
      try {
        composed = composeMessage(message);
      } catch {
        return { result: 'refused', smtpStatus: null, isAddress: false };
      }
      try {
        await pace.turn();
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(patience.mail) });
        return { result: 'sent' };
      } catch (error) {
        return classify(error as SmtpFailure);
      }
    },
    // Also connections on which a mail is under way: whoever closes has waited for it long enough.
    close: async () => transport.close({ force: true }),
  };
}

/** Nobody listens between this machine and itself; for any other a name decides, which may lead anywhere. */
const OF_THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The server that `SMTP_URL` names, and nothing else of it: nodemailer would take any option from its query. A login
 * leaves this machine encrypted or not at all, whatever is taken out of the server's greeting on the way.
 */
export function serverOf(smtpUrl: string) {
  // Not Node's own error, which holds the address with its password.
  if (!URL.canParse(smtpUrl)) throw new Error('SMTP_URL is no address of a mail server.');
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { auth, requireTLS: !OF_THIS_MACHINE.test(hostname) }),
  };
}
