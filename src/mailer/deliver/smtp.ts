import { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailSettings } from '../mailer-settings.ts';
import { classify, type SmtpFailure } from './classify.ts';
import { composeMessage } from './compose.ts';
import { createSendRate } from './send-rate.ts';
import type { MailTransport, Outcome } from './transport.ts';

/** Timeouts (ms). */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  /** Between two replies. */
  readonly idle: number;
  /** Time limit for one mail, including its connection. */
  readonly mail: number;
}

const TIMEOUTS: SmtpTimeouts = { connect: 10_000, greeting: 10_000, idle: 60_000, mail: 120_000 };
/** Mails sent at the same time. */
const CONNECTIONS = 5;
/** Time (ms) for the server to close its side of a connection. */
const CLOSE_TIMEOUT = 1_000;

/**
 * Opens a connection pool to the server of `settings.smtpUrl`. Uses TLS from the start with `smtps:`, otherwise STARTTLS if
 * offered. See `serverOf` for a login. Throws if `smtpUrl` is not a URL.
 */
export function openSmtp(settings: MailSettings, timeouts: SmtpTimeouts = TIMEOUTS): MailTransport {
  const transport = createTransport({
    ...serverOf(settings.smtpUrl ?? ''),
    pool: true,
    maxConnections: CONNECTIONS,
    // The pool resends a mail only if an idle connection was dead and no byte was sent. Later failures are retried by
    // their delivery.
    maxRequeues: 1,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.idle,
    socketCloseTimeout: CLOSE_TIMEOUT,
    dnsTimeout: timeouts.connect,
    // The server that the operator chose may be on this machine.
    allowInternalNetworkInterfaces: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The pool's own rate limit applies to each connection separately.
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
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(timeouts.mail) });
        return { result: 'sent' };
      } catch (error) {
        return classify(error as SmtpFailure);
      }
    },
    // Also closes connections that are sending: the caller has waited for them.
    close: async () => transport.close({ force: true }),
  };
}

/** Hosts to which a login may be sent without TLS. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Returns host, port, TLS and login of `SMTP_URL`, but not its query, in which nodemailer would accept any option. Requires
 * TLS for a login to another machine, so that no login is sent if an attacker removes STARTTLS from the greeting.
 */
export function serverOf(smtpUrl: string) {
  // Node's own error would contain the URL with its password.
  if (!URL.canParse(smtpUrl))
    throw new Error('SMTP_URL is not a URL. Write it as smtp://user:password@host:587.');
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { auth, requireTLS: !LOOPBACK_HOST.test(hostname) }),
  };
}

/**
 * Checks that the mail server can be reached and accepts the login, without sending a mail. Returns null, or the reason in
 * one plain sentence without the login. Waits `timeoutMs` for each reply and three times that in total.
 */
export async function checkSmtp(smtpUrl: string, timeoutMs: number): Promise<string | null> {
  // With its own socket it can stop waiting for a server that sends a reply byte by byte and so never times out.
  const socket = new Socket();
  const transport = createTransport({
    ...serverOf(smtpUrl),
    socket,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    allowInternalNetworkInterfaces: true,
  });
  const deadline = setTimeout(() => socket.destroy(), 3 * timeoutMs);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    const outcome = classify(error as SmtpFailure);
    return outcome.result === 'away'
      ? outcome.reason
      : 'The mail server did not respond in SMTP. Check SMTP_URL.';
  } finally {
    clearTimeout(deadline);
    transport.close();
  }
}
