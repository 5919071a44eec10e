import type { AttemptOutcome } from './record-outcome.ts';

/** The fields of a nodemailer error; any of them may be missing. */
export interface SmtpFailure {
  readonly code?: string | undefined;
  /** The SMTP command that failed; 'CONN' for the connection, 'API' for a failure before anything was sent. */
  readonly command?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly syscall?: string | undefined;
  /** The code of the system or of TLS, if `code` is a code of nodemailer. */
  readonly originalCode?: string | undefined;
  readonly timeoutType?: string | undefined;
}

/**
 * Returns the codes of a reply, such as '550 5.1.1'; null if there was no reply. Leaves out the text of the reply,
 * which may quote an address.
 */
export function replyOf({ responseCode, response = '' }: SmtpFailure): string | null {
  if (responseCode === undefined) return null;
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1];
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`;
}

/**
 * True for a permanent failure. The code 503, a bad sequence of commands (RFC 5321), is not permanent, because another
 * connection may succeed.
 */
const isPermanent = (code: number) => code >= 500 && code < 600 && code !== 503;
const LOGIN_ERRORS: readonly string[] = ['EAUTH', 'ENOAUTH', 'EOAUTH2'];
/** Codes of replies that request a login or refuse it (RFC 4954). They may follow any SMTP command. */
const LOGIN_REPLIES: readonly number[] = [530, 534, 535, 538];
/** Code of the reply to MAIL FROM if the mail is too large. */
const TOO_LARGE = 552;
/** The SMTP commands that send one mail. Other commands open the connection or log in. */
const MAIL_COMMANDS: readonly string[] = ['MAIL FROM', 'RCPT TO', 'DATA'];
/** Codes of timeouts while a connection is opened. */
const CONNECTION_TIMEOUTS: readonly string[] = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'];

/**
 * Returns the outcome of a failed attempt. It never contains the text of the server's reply, which may quote an
 * address.
 */
export function classifySmtpFailure(failure: SmtpFailure): AttemptOutcome {
  const reply = replyOf(failure);
  const away = awayReason(failure);
  if (away !== null) {
    const codes = reply === null ? '' : ` (${reply})`;
    return { result: 'away', reply, reason: `The mail server ${away}${codes}.` };
  }
  const { code, command, responseCode } = failure;
  if (responseCode !== undefined && isPermanent(responseCode)) {
    return { result: 'refused', reply, isAddress: isAboutAddress(command, reply) };
  }
  if (responseCode === undefined && isUnsendable(code, command)) {
    return { result: 'refused', reply, isAddress: code === 'EENVELOPE' };
  }
  return { result: 'later', reply };
}

/** Returns the reason why the server accepts no mails at all. Null if the failure may concern only this mail. */
function awayReason(failure: SmtpFailure): string | null {
  const { code = '', command, responseCode } = failure;
  if (responseCode === 421) return 'closes its connections for now';
  if (LOGIN_ERRORS.includes(code) || LOGIN_REPLIES.includes(responseCode ?? 0)) {
    return responseCode !== undefined && responseCode < 500
      ? 'cannot check the login at the moment'
      : 'refused the login: check the user and the password in SMTP_URL';
  }
  if (command === 'MAIL FROM' && responseCode !== undefined && responseCode !== TOO_LARGE) {
    return isPermanent(responseCode)
      ? 'refused the sender: check MAIL_FROM'
      : 'takes no mails from this sender at the moment';
  }
  if (code === 'ETLS' || isTlsFailure(failure)) return 'cannot be reached over an encrypted connection';
  if (responseCode !== undefined)
    return MAIL_COMMANDS.includes(command ?? '') ? null : 'refused the connection';
  if (code === 'EDNS') return 'is unknown: check its name in SMTP_URL';
  return isUnreachable(failure) ? 'cannot be reached' : null;
}

function isUnreachable({ code, syscall, originalCode = '', timeoutType = '' }: SmtpFailure): boolean {
  if (syscall === 'connect' || originalCode === 'ECONNREFUSED') return true;
  return CONNECTION_TIMEOUTS.includes(timeoutType) || code === 'ECONFIG' || code === 'EPROXY';
}

const isTlsFailure = ({ code, originalCode = '' }: SmtpFailure) =>
  code === 'ESOCKET' && /CERT|SSL|TLS|SELF_SIGNED/.test(originalCode);

/**
 * True if a permanent reply is about the recipient's address. A reply to RCPT TO is, unless it is about policy (5.7,
 * such as "relaying denied"). A reply to another command is if it is about the mailbox (5.1, 5.2).
 */
function isAboutAddress(command: string | undefined, reply: string | null): boolean {
  const enhanced = reply?.split(' ')[1];
  if (command === 'RCPT TO') return !enhanced?.startsWith('5.7.');
  return enhanced !== undefined && /^5\.[12]\./.test(enhanced);
}

/** True if nothing was sent, because SMTP cannot express the mail or its recipient. */
function isUnsendable(code: string | undefined, command: string | undefined): boolean {
  if (code === 'EMESSAGE' || code === 'EFILEACCESS' || code === 'EURLACCESS') return true;
  return code === 'EENVELOPE' && command === 'API';
}
