import type { Decided } from '#mailer/decide/signal-schedule.ts';
import type { Issue } from '#mailer/decide/stored-decisions.ts';
import type { WithholdReason } from '#mailer/decide/withhold-reason.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import { asOf, writeDay } from '#views/day.ts';
import { writeCount, writeNumber } from './wording.ts';

export interface SignalSent {
  readonly decided: Decided;
  readonly report: SendReport;
  readonly grades: number;
  /** The outbox folder into which the mails were written; null if they were sent by SMTP. */
  readonly outbox: string | null;
}

/** Returns for example 'Sat 21 Nov 2026, 09:00 New York time'. */
export const writeInstant = (instant: number): string => asOf(new Date(instant).toISOString()).text;

/** Returns for example 'HOLD 54.3'. */
export const writeVerdict = ({ verdict, score }: Issue): string => `${verdict} ${score?.toFixed(1)}`;

export const nameOf = ({ week }: { week: string }): string => `The signal of the week of ${writeDay(week)}`;

export const writeReason = ({ reason, nextStep }: WithholdReason): string =>
  nextStep === null ? reason : `${reason} ${nextStep}`;

function describeDecided(decided: Decided): string {
  const next = `The next signal falls due on ${writeInstant(decided.nextAt)}.`;
  if (decided.state === 'none')
    return `No signal is due. ${next} Use --now to issue the signal of this week now.`;
  if (decided.state === 'waiting') return `No signal was issued. ${writeReason(decided)} ${next}`;
  const { issue, state } = decided;
  const already = state === 'new' ? '' : ` on ${writeInstant(issue.decidedAt)}`;
  if (issue.status === 'issued') {
    return `${nameOf(issue)} was issued${already}: ${writeVerdict(issue)}.${state === 'new' ? '' : ` ${next}`}`;
  }
  const nextStep = decided.state === 'new' ? decided.nextStep : null;
  const reason = writeReason({ reason: issue.reason ?? '', nextStep });
  return `${nameOf(issue)} was withheld${already}; no mail is sent. ${reason} ${next}`;
}

/** Joins parts to a text such as 'a, b and c'. */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

function describeLeft({ left, later, nextDueAt, unavailable }: SendReport): string[] {
  if (left === 0) return [];
  const when = nextDueAt === null ? '' : `, the next after ${writeInstant(nextDueAt)}`;
  const retried = later > 0 ? `, ${writeNumber(later)} after a failed attempt` : '';
  const [wait, are] = left === 1 ? ['waits', 'is'] : ['wait', 'are'];
  const elsewhere = unavailable === null && left > later ? `, or ${are} being sent by another process` : '';
  return [
    `${writeCount(left, 'mail')} ${wait} to be sent${retried}${elsewhere}${when}. A running server sends them; otherwise run "signal send" again.`,
  ];
}

function describeSending({ report, outbox }: SignalSent): string[] {
  const { sent, refused, expired, unavailable, problems } = report;
  const where = outbox === null ? 'sent' : `written into ${outbox}: SMTP_URL is not set`;
  const ended = [
    ...(sent > 0 ? [`${writeCount(sent, 'mail')} ${where}`] : []),
    ...(refused > 0 ? [`${writeCount(refused, 'mail')} refused permanently`] : []),
    ...(expired > 0 ? [`${writeCount(expired, 'mail')} expired`] : []),
  ];
  return [
    ended.length === 0 ? 'No mail was sent.' : `${listed(ended)}.`,
    ...(unavailable === null ? [] : [unavailable]),
    ...problems,
    ...describeLeft(report),
  ];
}

/** Describes the result of `signal send` in several lines. They contain no address. */
export function describeSignalSend(sent: SignalSent): string {
  const graded = sent.grades === 0 ? [] : [`${writeCount(sent.grades, 'grade')} added to the record.`];
  return [describeDecided(sent.decided), ...describeSending(sent), ...graded].join('\n');
}

/** True if the operator must act: the signal is withheld or waits, or mails have problems. */
export function needsAction({ decided, report }: SignalSent): boolean {
  const isWithheld = 'issue' in decided && decided.issue.status === 'withheld';
  return (
    isWithheld || decided.state === 'waiting' || report.unavailable !== null || report.problems.length > 0
  );
}
