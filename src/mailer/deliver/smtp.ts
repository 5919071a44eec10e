import { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailSettings } from '../mailer-settings.ts';
import { classifySmtpFailure, type SmtpFailure } from './classify.ts';
import { composeMessage, type MailTransport } from './mail-message.ts';
import type { AttemptOutcome } from './record-outcome.ts';

/** Timeouts of the SMTP connection (ms): `idle` without data, `mail` for one mail with its connection. */
const TIMEOUTS = { connect: 10_000, greeting: 10_000, idle: 60_000, mail: 120_000 };
/** Maximum number of mails sent at the same time. */
const CONNECTIONS = 5;
/** Time that the server has to close its side of a connection (ms). */
const CLOSE_TIMEOUT = 1_000;

/**
 * Opens a connection pool to the server of `settings.smtpUrl`. With `smtps:`, the connection uses TLS from the start;
 * otherwise it uses STARTTLS if the server offers it. `serverOf` describes when a login is sent. Throws if `smtpUrl` is
 * not a URL.
 */
export function openSmtp(settings: MailSettings, timeouts = TIMEOUTS): MailTransport {
  const transport = createTransport({
    ...serverOf(settings.smtpUrl ?? ''),
    pool: true,
    maxConnections: CONNECTIONS,
    // The pool sends a mail again only if its connection had been closed before any byte was sent. After a later
    // failure, the delivery is retried.
    maxRequeues: 1,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.idle,
    socketCloseTimeout: CLOSE_TIMEOUT,
    dnsTimeout: timeouts.connect,
    // The operator has chosen this server, which may be on this machine.
    allowInternalNetworkInterfaces: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The pool's own rate limit would apply to each connection separately.
  const rate = createSendRate(settings.perSecond);
  return {
    connections: CONNECTIONS,
    send: async (message): Promise<AttemptOutcome> => {
      let composed: SendMailOptions;
      try {
        composed = composeMessage(message);
      } catch {
        return { result: 'refused', reply: null, isAddress: false };
      }
      try {
        await rate.turn();
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(timeouts.mail) });
        return { result: 'sent' };
      } catch (error) {
        return classifySmtpFailure(error as SmtpFailure);
      }
    },
    // Also closes connections that are sending a mail, because the caller has already waited for such mails.
    close: async () => transport.close({ force: true }),
  };
}

/** Matches the names of this machine. A login may be sent to it without TLS. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Returns the host, port, TLS settings and login in `SMTP_URL`. Ignores the query, because nodemailer would accept any
 * option from it. For a login to another machine, TLS is required, so that no login is sent if an attacker removes
 * STARTTLS from the server's greeting.
 */
export function serverOf(smtpUrl: string) {
  // Node's error would contain the URL with its password.
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
 * Checks that the mail server can be reached and accepts the login. Sends no mail. Returns null, or the reason of a
 * failure in one plain sentence without the login. Waits `timeoutMs` for each reply, and three times as long in total.
 */
export async function checkSmtp(smtpUrl: string, timeoutMs: number): Promise<string | null> {
  // A socket of our own can be closed after the total time. Otherwise a reply that arrives byte by byte would never
  // time out.
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
    const outcome = classifySmtpFailure(error as SmtpFailure);
    return outcome.result === 'away'
      ? outcome.reason
      : 'The mail server did not respond with valid SMTP. Check SMTP_URL.';
  } finally {
    clearTimeout(deadline);
    transport.close();
  }
}

const CLOCK = {
  now: () => performance.now(),
  wait: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Creates a rate that starts mails at equal intervals, at most `perSecond`, over all connections together. `turn` resolves
 * when the next mail may start.
 */
export function createSendRate(perSecond: number, { now, wait } = CLOCK) {
  const apart = 1000 / perSecond;
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async turn(): Promise<void> {
      const at = Math.max(now(), nextAt);
      nextAt = at + apart;
      if (at > now()) await wait(at - now());
    },
  };
}
