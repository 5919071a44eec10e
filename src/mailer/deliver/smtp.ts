import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailSettings } from '../mailer-settings.ts';
import type { AttemptOutcome } from './deliveries.ts';
import { composeMessage, type MailTransport } from './send-mails.ts';

/** Timeouts of the SMTP connection (ms): `idle` without data, `mail` for one mail with its connection. */
const TIMEOUTS = { connect: 10_000, greeting: 10_000, idle: 60_000, mail: 120_000 };
const CONNECTIONS = 5;
/** Time that the server has to close its side of a connection (ms). */
const CLOSE_TIMEOUT = 1_000;

/** Opens a pool: TLS from the start with `smtps:`, else STARTTLS if offered. Throws if `smtpUrl` is no URL. */
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
  });
  // The pool's own rate limit lets all waiting connections go on at once.
  const turn = createSendRate(settings.perSecond);
  return {
    connections: CONNECTIONS,
    send: async (message): Promise<AttemptOutcome> => {
      const composed = composeMessage(message);
      try {
        await turn();
        await transport.sendMail({ ...composed, signal: AbortSignal.timeout(timeouts.mail) });
        return { result: 'sent' };
      } catch (error) {
        return classifySmtpFailure(error as SmtpFailure, settings.smtpUrl ?? '');
      }
    },
    // Also closes connections that are sending a mail, because the caller has already waited for such mails.
    close: async () => transport.close({ force: true }),
  };
}

/** Matches the names of this machine. A login may be sent to it without TLS. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Host, port, TLS and login in `SMTP_URL`, without its query, as nodemailer would accept any option. A login to
 * another machine requires TLS, which an attacker could remove from the greeting.
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

/** Checks connection and login. Null, or a reason without the login. Waits `timeoutMs` per reply, thrice in all. */
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
    const outcome = classifySmtpFailure(error as SmtpFailure, smtpUrl);
    return outcome.result === 'unavailable'
      ? outcome.reason
      : 'The mail server did not respond with valid SMTP. Check SMTP_URL.';
  } finally {
    clearTimeout(deadline);
    transport.close();
  }
}

/** Returns a function that resolves when the next mail may start: at most `perSecond` mails over all connections. */
export function createSendRate(
  perSecond: number,
  clock: { now(): number; wait(ms: number): Promise<unknown> } = { now: () => performance.now(), wait },
) {
  const apart = 1000 / perSecond;
  let nextAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    const now = clock.now();
    const at = Math.max(now, nextAt);
    nextAt = at + apart;
    if (at > now) await clock.wait(at - now);
  };
}

/** The error of a failed attempt; any field may be missing. `command` is 'API' for a failure before anything was sent. */
export type SmtpFailure = Partial<NodemailerError>;

/** The codes of a reply, such as '550 5.1.1', or null. Its text may quote an address. */
export function replyOf({ responseCode, response = '' }: SmtpFailure): string | null {
  if (responseCode === undefined) return null;
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1];
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`;
}

const LOGIN_ERRORS: readonly string[] = ['EAUTH', 'ENOAUTH', 'EOAUTH2'];
/** Codes of replies that request a login or refuse it (RFC 4954). They may follow any SMTP command. */
const LOGIN_REPLIES: readonly number[] = [530, 534, 535, 538];
const TOO_LARGE = 552;
/** The SMTP commands that send one mail. Other commands open the connection or log in. */
const MAIL_COMMANDS: readonly string[] = ['MAIL FROM', 'RCPT TO', 'DATA'];
/** Permanent replies that are not about the address: sender (5.1.7, 5.1.8), full mailbox, length, and policy (5.7). */
const OTHER_CAUSE = /^552$| 5\.(?:1\.[78]|2\.[23]|7\.\d+)$/;

/** The outcome of a failed attempt, without the text of the server's reply, which may quote an address. */
export function classifySmtpFailure(failure: SmtpFailure, smtpUrl: string): AttemptOutcome {
  const reply = replyOf(failure);
  const unavailable = unavailableReason(failure, smtpUrl);
  if (unavailable !== null) {
    const codes = reply === null ? '' : ` (${reply})`;
    return { result: 'unavailable', reason: `The mail server ${unavailable}${codes}.` };
  }
  const { code, command, responseCode, permanent } = failure;
  if (permanent) {
    return { result: 'refused', reply, isAddress: isAboutAddress(command, reply) };
  }
  if (responseCode === undefined && isUnsendable(code, command)) {
    return { result: 'refused', reply, isAddress: code === 'EENVELOPE' };
  }
  return { result: 'later', reply };
}

/** Returns the reason why the server accepts no mails at all. Null if the failure may concern only this mail. */
function unavailableReason(failure: SmtpFailure, smtpUrl: string): string | null {
  const { code = '', command, responseCode, permanent, originalCode = '' } = failure;
  if (responseCode === 421) return 'closes its connections for now';
  if (LOGIN_ERRORS.includes(code) || LOGIN_REPLIES.includes(responseCode ?? 0)) {
    return responseCode !== undefined && responseCode < 500
      ? 'cannot check the login at the moment'
      : 'refused the login: check the user and the password in SMTP_URL';
  }
  if (command === 'MAIL FROM' && responseCode !== undefined && responseCode !== TOO_LARGE) {
    return permanent
      ? 'refused the sender: check MAIL_FROM'
      : 'takes no mails from this sender at the moment';
  }
  const isTlsFailure = code === 'ESOCKET' && /CERT|SSL|TLS|SELF_SIGNED/.test(originalCode);
  if (code === 'ETLS' || isTlsFailure) return 'cannot be reached over an encrypted connection';
  if (responseCode !== undefined)
    return MAIL_COMMANDS.includes(command ?? '') ? null : 'refused the connection';
  if (code === 'EDNS') return 'is unknown: check its name in SMTP_URL';
  if (!isUnreachable(failure)) return null;
  const detail = failure.originalCode ?? failure.timeoutType ?? code;
  return `cannot be reached at ${placeOf(smtpUrl)} (${detail}). Check SMTP_URL and the firewall`;
}

/** Host and port of the server, without the login. */
function placeOf(smtpUrl: string): string {
  const { host, port, protocol } = new URL(smtpUrl);
  return port === '' ? `${host}:${protocol === 'smtps:' ? 465 : 587}` : host;
}

function isUnreachable({ code, syscall, originalCode, timeoutType }: SmtpFailure): boolean {
  if (syscall === 'connect' || originalCode === 'ECONNREFUSED') return true;
  if (timeoutType !== undefined && timeoutType !== 'SOCKET_TIMEOUT') return true;
  return code === 'ECONFIG' || code === 'EPROXY';
}

/** True for a reply to RCPT TO unless its code states another cause, and for a code of the mailbox (5.1, 5.2). */
function isAboutAddress(command: string | undefined, reply: string | null): boolean {
  if (reply === null || OTHER_CAUSE.test(reply)) return false;
  return command === 'RCPT TO' || / 5\.[12]\./.test(reply);
}

/** True if nothing was sent, because SMTP cannot express the mail or its recipient. */
function isUnsendable(code: string | undefined, command: string | undefined): boolean {
  if (code === 'EMESSAGE' || code === 'EFILEACCESS' || code === 'EURLACCESS') return true;
  return code === 'EENVELOPE' && command === 'API';
}
