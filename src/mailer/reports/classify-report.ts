import type { Fields, ReportParts } from './parse-report.ts';

/** Kinds of reports. A hard bounce is of an address that does not exist, a complaint of a mail reported as spam. */
export const REPORT_KINDS = [
  'hard bounce',
  'soft bounce',
  'complaint',
  'automatic reply',
  'unknown',
] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

export interface Classified {
  readonly kind: ReportKind;
  /** The enhanced status code (RFC 3463) that decided the kind; null if there was none. */
  readonly status: string | null;
}

const UNKNOWN: Classified = { kind: 'unknown', status: null };

/** Feedback types (RFC 5965, section 7.3) that say that the owner of an address rejects our mails. */
const COMPLAINTS: readonly string[] = ['abuse', 'fraud', 'opt-out'];

/** The address does not exist: mailbox, host, syntax, moved, null MX, disabled. 5.1.7 and 5.1.8 are the sender. */
const HARD_CODES: readonly string[] = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '5.4.4'];
/** Codes that do not state a cause. Microsoft also sends 5.4.1 for unknown recipients. */
const UNSPECIFIC_CODES: readonly string[] = ['5.0.0', '5.1.0', '5.2.0', '5.4.1', '5.5.0'];

/** Matches words that say that the address is not the cause. They outweigh any code. */
const NOT_THE_ADDRESS =
  /\bquota\b|mailbox (?:is )?full|full mailbox|insufficient (?:system )?storage|\btoo (?:many|much|fast|quickly|long)|at a rate|rate.?limit|temporar|try again|greylist|\bspam|blocked|block ?list|black ?list|dnsbl|\brbl\b|reputation|\bspf\b|\bdkim\b|\bdmarc\b|policy|unsolicited|banned/i;
/** Matches words that say that the address is the cause. A code with a specific cause outweighs them. */
const NO_SUCH_ADDRESS =
  /(?:user|recipient|address|account|mailbox)(?: is)? unknown|unknown (?:user|recipient|address|account|mailbox|or illegal alias)|no such (?:user|recipient|address|account|mailbox|person)|(?:does not|doesn't) exist|doesn't have an? account|no mailbox here by that name|mailbox (?:is )?(?:unavailable|disabled|inactive|not found)|(?:account|mailbox|user)[^.;]{0,40} (?:disabled|deactivated|inactive|closed)|recipient ?not ?found|address rejected: access denied|(?:invalid|unrouteable|undeliverable) (?:recipient|mailbox|address)|host or domain name not found/i;

const LONGEST_DIAGNOSTIC = 4_096;
const ENHANCED = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

const codeIn = (text: string): string | null => ENHANCED.exec(text)?.[1] ?? null;

/** Matches a word that contains an address, a link or a host name. */
const NAME = /@|:\/\/|[a-z0-9]\.[a-z]{2}/i;

/** Removes addresses, links and names of hosts from a text, because a part of them may look like a cause. */
const withoutNames = (text: string): string =>
  text
    .slice(0, LONGEST_DIAGNOSTIC)
    .split(/\s+/)
    .filter((word) => !NAME.test(word))
    .join(' ');

/** Classifies a failure by the status code that our relay reports, and by the words of the receiving server. */
function classifyFailure(reported: string | null, diagnostic: string): Classified {
  const words = withoutNames(diagnostic);
  const quoted = codeIn(words);
  // The receiving server knows the cause better than a relay that has translated the code.
  const isQuotedSpecific = quoted !== null && !UNSPECIFIC_CODES.includes(quoted);
  const status = isQuotedSpecific ? quoted : (reported ?? quoted);
  if (status?.startsWith('2.')) return { kind: 'unknown', status };
  if (status?.startsWith('4.') || NOT_THE_ADDRESS.test(words)) return { kind: 'soft bounce', status };
  if (status !== null && HARD_CODES.includes(status)) return { kind: 'hard bounce', status };
  if (status === null || UNSPECIFIC_CODES.includes(status)) {
    return { kind: NO_SUCH_ADDRESS.test(words) ? 'hard bounce' : 'unknown', status };
  }
  return { kind: 'soft bounce', status };
}

/** Classifies a failure by the part of a delivery status that is about one recipient. */
function classifyRecipient(group: Fields): Classified {
  const action = (group.get('action') ?? '').toLowerCase();
  const status = codeIn(group.get('status') ?? '');
  if (action.startsWith('delayed')) return { kind: 'soft bounce', status };
  if (!action.startsWith('failed')) return { kind: 'unknown', status };
  return classifyFailure(status, group.get('diagnostic-code') ?? '');
}

/** The kinds, mildest first. If a forwarder sends a mail to several recipients, the mildest kind counts. */
const MILDEST_FIRST: readonly ReportKind[] = ['unknown', 'soft bounce', 'hard bounce'];

function classifyStatus(groups: readonly Fields[]): Classified {
  const recipients = groups
    .filter((group) => group.has('action') || group.has('final-recipient'))
    .map(classifyRecipient);
  const rankOf = ({ kind }: Classified) => MILDEST_FIRST.indexOf(kind);
  return recipients.sort((one, other) => rankOf(one) - rankOf(other))[0] ?? UNKNOWN;
}

/** Matches the line before the copy of the mail, in a bounce without MIME parts. */
const COPY = /^-{2,} ?(?:Below this line is a copy|This is a copy|Included is a copy|Original message)/im;
const MAILER = /(?:^|[\s"<])(?:mailer-daemon|postmaster)(?:@|\s|$)/i;

/** Classifies a bounce without a delivery status, as qmail (QSBMF), Yahoo and old Exim send, by its text. */
function classifyText(text: string): Classified {
  const end = COPY.exec(text)?.index ?? text.length;
  const notice = text.slice(0, end);
  if (/too long in the queue|in the queue too long|retry timeout exceeded/i.test(notice)) {
    return { kind: 'soft bounce', status: codeIn(withoutNames(notice)) };
  }
  return classifyFailure(null, notice);
}

function isAutomaticReply(headers: Fields): boolean {
  const submitted = headers.get('auto-submitted')?.toLowerCase() ?? 'no';
  if (submitted !== 'no') return true;
  if (['x-autoreply', 'x-autorespond', 'x-autogenerated'].some((name) => headers.has(name))) return true;
  return /auto.?reply|vacation/i.test(headers.get('precedence') ?? '');
}

/** True for a complaint of Microsoft's feedback loop (JMRP), which contains the mail but no feedback report. */
const isMicrosoftComplaint = ({ headers, returned }: ReportParts): boolean =>
  /\bstaff@hotmail\.com\b/i.test(headers.get('from') ?? '') &&
  /^complaint about message from/i.test(headers.get('subject') ?? '') &&
  returned !== '';

/** Classifies a report, without a check of its sender. The caller verifies that the sender had received the mail. */
export function classifyReport(parts: ReportParts): Classified {
  const { headers, text, status, feedback } = parts;
  if (feedback !== null) {
    const type = feedback.get('feedback-type')?.toLowerCase() ?? '';
    return COMPLAINTS.includes(type) ? { kind: 'complaint', status: null } : UNKNOWN;
  }
  if (isMicrosoftComplaint(parts)) return { kind: 'complaint', status: null };
  if (status.length > 0) return classifyStatus(status);
  if (MAILER.test(headers.get('from') ?? '') || headers.has('x-failed-recipients')) return classifyText(text);
  return isAutomaticReply(headers) ? { kind: 'automatic reply', status: null } : UNKNOWN;
}

export interface ServiceEvent {
  /** Identifies the event within its service. */
  readonly id: string;
  readonly email: string;
  readonly kind: ReportKind;
  /** The enhanced status code (RFC 3463), if the service states one. */
  readonly status?: string;
  /** The words of the receiving server; '' if the service states none. */
  readonly words: string;
}

/** Classifies an event of a mail service. Words that name another cause than the address make it a soft bounce. */
export function classifyEvent({ kind, status = '', words }: ServiceEvent): Classified {
  const failure = classifyFailure(codeIn(status), words);
  return kind === 'hard bounce' && failure.kind === 'soft bounce'
    ? failure
    : { kind, status: failure.status };
}
