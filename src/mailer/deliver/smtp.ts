import { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailSettings } from '../mailer-settings.ts';
import { classify, type SmtpFailure } from './classify.ts';
import { composeMessage } from './compose.ts';
import { createSendRate } from './send-rate.ts';
import type { MailTransport, Outcome } from './transport.ts';

/** Time limits of the server (ms). */
export interface SmtpPatience {
  readonly connect: number;
  readonly greeting: number;
  /** Between two replies, once connected. */
  readonly silent: number;
  /** For one mail, its connection included. */
  readonly mail: number;
}

const PATIENCE: SmtpPatience = { connect: 10_000, greeting: 10_000, silent: 60_000, mail: 120_000 };
/** Mails sent at once. */
const CONNECTIONS = 5;
/** Time (ms) for the server to close its side of a connection. */
const CLOSING = 1_000;

/**
 * Opens a connection pool to the server of `settings.smtpUrl`. Uses TLS from the start with `smtps:`, else STARTTLS if
 * offered; with a login TLS is required. Throws if `smtpUrl` is not a URL.
 */
export function openSmtp(settings: MailSettings, patience: SmtpPatience = PATIENCE): MailTransport {
  const transport = createTransport({
    ...serverOf(settings.smtpUrl ?? ''),
    pool: true,
    maxConnections: CONNECTIONS,
    // Only for a mail of which no byte was sent, when an idle connection turns out to be dead. A mail lost later is
    // retried by its row, not by the pool.
    maxRequeues: 1,
    connectionTimeout: patience.connect,
    greetingTimeout: patience.greeting,
    socketTimeout: patience.silent,
    socketCloseTimeout: CLOSING,
    dnsTimeout: patience.connect,
    // The operator names the server, which may be on this machine.
    allowInternalNetworkInterfaces: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The pool's own limit applies to each connection, not to all of them.
  const rate = createSendRate(settings.perSecond);
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
        await rate.turn();
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(patience.mail) });
        return { result: 'sent' };
      } catch (error) {
        return classify(error as SmtpFailure);
      }
    },
    // Also connections that are sending: the caller has waited for them long enough.
    close: async () => transport.close({ force: true }),
  };
}

/** A login may go unencrypted only within this machine. */
const OF_THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Returns only host, port, TLS and login of `SMTP_URL`: nodemailer would take any option from its query. Requires TLS for a
 * login to another machine, even if an attacker removes STARTTLS from the greeting.
 */
export function serverOf(smtpUrl: string) {
  // Node's own error would show the address with its password.
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

/**
 * Checks that the mail server can be reached and accepts the login, without sending a mail. Returns null, or the reason in
 * one plain sentence without the login. Waits `patience` ms for each reply and three times that in all.
 */
export async function checkSmtp(smtpUrl: string, patience: number): Promise<string | null> {
  // Our own socket, to end a server that sends a reply byte by byte and never times out.
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
