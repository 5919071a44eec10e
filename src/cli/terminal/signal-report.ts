import type { Issue } from '#mailer/decide/ledger.ts';
import type { Decided } from '#mailer/decide/signal-schedule.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import { asOf, writeDay } from '#views/day.ts';
import { writeCount } from './write-count.ts';

/** The result of `signal send`. */
export interface SignalSent {
  readonly decided: Decided;
  readonly report: SendReport;
  /** The folder that mails are written into; null if they are sent. */
  readonly outbox: string | null;
}

/** 'Sat 21 Nov 2026, 09:00 New York time'. */
export const writeInstant = (instant: number): string => asOf(new Date(instant).toISOString()).text;

/** 'HOLD 54.3'. */
export const writeVerdict = ({ verdict, score }: Issue): string => `${verdict} ${score?.toFixed(1)}`;

/** 'The signal of the week of Mon 16 Nov 2026'. */
export const nameOf = ({ week }: { week: string }): string => `The signal of the week of ${writeDay(week)}`;

function describeDecided(decided: Decided): string {
  const next = `The next one falls due on ${writeInstant(decided.nextAt)}.`;
  if (decided.state === 'none') return `No signal is due. ${next} With --now this week's is issued at once.`;
  if (decided.state === 'waiting') return `No signal was issued. ${decided.reason} ${next}`;
  const { issue, state } = decided;
  const already = state === 'new' ? '' : ` on ${writeInstant(issue.decidedAt)}`;
  if (issue.status === 'issued') {
    return `${nameOf(issue)} was issued${already}: ${writeVerdict(issue)}.${state === 'new' ? '' : ` ${next}`}`;
  }
  return `${nameOf(issue)} was withheld${already}, and nothing of it is sent. ${issue.reason ?? ''} ${next}`;
}

/** 'a, b and c'. */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

function describeLeft({ left, later, nextDueAt, away }: SendReport): string[] {
  if (left === 0) return [];
  const when = nextDueAt === null ? '' : `, the next from ${writeInstant(nextDueAt)} on`;
  const putOff = later > 0 ? `, ${later.toLocaleString('en-US')} of them put off just now` : '';
  const [wait, are] = left === 1 ? ['waits', 'is'] : ['wait', 'are'];
  const elsewhere = away === null && left > later ? `, or ${are} being sent by another process` : '';
  return [
    `${writeCount(left, 'mail')} ${wait} to be sent${putOff}${elsewhere}${when}: a server that runs sends them, or "signal send" once more.`,
  ];
}

function describeSending({ report, outbox }: SignalSent): string[] {
  const { sent, refused, expired, away, problems } = report;
  const where = outbox === null ? 'sent' : `written into ${outbox}, for SMTP_URL is not set`;
  const ended = [
    ...(sent > 0 ? [`${writeCount(sent, 'mail')} ${where}`] : []),
    ...(refused > 0 ? [`${writeCount(refused, 'mail')} refused for good`] : []),
    ...(expired > 0 ? [`${writeCount(expired, 'mail')} given up as too old`] : []),
  ];
  return [
    ended.length === 0 ? 'No mail was sent.' : `${listed(ended)}.`,
    ...(away === null ? [] : [away]),
    ...problems,
    ...describeLeft(report),
  ];
}

/** Describes the result of `signal send` in lines, without any address. */
export function describeSignal(sent: SignalSent): string {
  return [describeDecided(sent.decided), ...describeSending(sent)].join('\n');
}

/** True if the operator must act: a week is withheld or waits, the mail server is away, or mails have problems. */
export function isWrong({ decided, report }: SignalSent): boolean {
  const isWithheld = 'issue' in decided && decided.issue.status === 'withheld';
  return isWithheld || decided.state === 'waiting' || report.away !== null || report.problems.length > 0;
}
