import type { Transaction } from '#database/port.ts';
import { NEWS_LASTS, nextUndecided, PATIENCE_WITH_ROWS } from '#mailer/decide/deciding.ts';
import { type Issue, newestIssues } from '#mailer/decide/ledger.ts';
import {
  DELIVERY_STATUSES,
  type MailStanding,
  readMailStanding,
  SUBSCRIBER_STATES,
} from '#mailer/standing.ts';
import { newestSignal, weekOf } from '#mailer/week.ts';
import type { Environment } from './environment.ts';
import { type Finding, fine, note, wrong } from './finding.ts';
import { nameOf, writeInstant, writeVerdict } from './signal-report.ts';

const HOUR = 3_600_000;
/** Mails that are due so long, while none was finished, are stuck. */
const STUCK_AFTER = HOUR;
/** What the schedule has not decided by then, with an hour to spare, nobody decides. */
const UNDECIDED_AFTER = PATIENCE_WITH_ROWS + HOUR;
const WEEKS_TOLD = 4;
/** The share of a week's mails that may fail before somebody has to look: some mailbox always does. */
const MAY_FAIL = 0.05;
const REPLIES_TOLD = 3;

/** What is configured of mail, as far as that can be seen without asking anybody. */
export function examineMailSettings({ mail, publicUrl }: Environment): Finding[] {
  const { smtpUrl, outboxFolder, perSecond, postalAddress, asksToConfirm } = mail;
  if (smtpUrl === null) {
    return [note(`SMTP_URL is not set: mails are written into ${outboxFolder}, not sent.`)];
  }
  return [
    fine(`Mail goes out over ${new URL(smtpUrl).host}, ${perSecond} a second at most.`),
    ...(publicUrl?.startsWith('https:')
      ? []
      : [note('PUBLIC_URL is not https: mail programs show no button to unsubscribe with.')]),
    ...(postalAddress === null
      ? [note('MAIL_POSTAL_ADDRESS is not set: the law of many places wants it in every mail of a list.')]
      : []),
    ...(asksToConfirm ? [] : [note('SUBSCRIBE_CONFIRM is off: whoever types an address subscribes it.')]),
  ];
}

function examineWeek(issue: Issue, isNewest: boolean): Finding {
  if (issue.status === 'withheld') {
    return (isNewest ? wrong : note)(`${nameOf(issue)} was withheld: ${issue.reason}`);
  }
  return fine(`${nameOf(issue)} was issued on ${writeInstant(issue.decidedAt)}: ${writeVerdict(issue)}.`);
}

/** Weeks that are yet to come: a clock was ahead. */
function examineFuture(weeks: readonly Issue[], thisWeek: string): Finding[] {
  return weeks
    .filter(({ week }) => week > thisWeek)
    .map((issue) =>
      wrong(
        `${nameOf(issue)}, which is yet to come, was ${issue.status} by a clock that was ahead, on ${writeInstant(issue.decidedAt)} as it said: look at the clocks of all that run "serve" or "signal send". No other signal is sent in that week.`,
      ),
    );
}

/** A signal that is due and not decided: waited for at first, then nobody's. */
function examineDue(
  newest: Issue | undefined,
  { mail: { signalTime } }: Environment,
  now: number,
): Finding[] {
  const due = newestSignal(now, signalTime);
  const isOpen = newest === undefined ? now - due.at < NEWS_LASTS : newest.week < due.week;
  if (!isOpen) return [];
  const text = `${nameOf(due)} fell due on ${writeInstant(due.at)} and is not decided`;
  if (now - due.at < UNDECIDED_AFTER || newest === undefined) {
    return [note(`${text} yet: a server that runs does so once the rows of the last close are there.`)];
  }
  return [wrong(`${text}: start the server, or run "signal send".`)];
}

/** 'a: 3, b: 1' of what is not 0. */
const counted = <Word extends string>(
  words: readonly Word[],
  counts: Readonly<Record<Word, number>>,
): string =>
  words
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word].toLocaleString('en-US')} ${word}`)
    .join(', ');

/** What the mail server replied to the mails of the newest signal that did not go through, the most frequent first. */
async function examineReplies(transaction: Transaction): Promise<Finding[]> {
  const replies = await transaction.query<{ reply: string | null; count: number }>(
    `select smtp_status as reply, count(*) as count from mailer.deliveries
     where status in ('refused', 'expired') and issue_id =
       (select id from mailer.issued_signals where status = 'issued' order by week desc limit 1)
     group by 1 order by 2 desc, 1 limit ${REPLIES_TOLD}`,
  );
  const told = replies.map(({ reply, count }) => `${reply ?? 'none'} (${count.toLocaleString('en-US')})`);
  return told.length === 0
    ? []
    : [note(`What the mail server replied to those that did not go through: ${told.join(', ')}.`)];
}

function examineDeliveries({ deliveries, dueSince, lastFinishedAt }: MailStanding, now: number): Finding[] {
  const mails = counted(DELIVERY_STATUSES, deliveries);
  const failed = deliveries.refused + deliveries.expired;
  const isMuch = failed > MAY_FAIL * (deliveries.sent + failed);
  const isStuck =
    dueSince !== null && now - dueSince > STUCK_AFTER && now - (lastFinishedAt ?? dueSince) > STUCK_AFTER;
  return [
    ...(mails === '' ? [] : [(isMuch ? wrong : fine)(`Mails of the newest signal: ${mails}.`)]),
    ...(isStuck && dueSince !== null
      ? [
          wrong(
            `Mails are due since ${writeInstant(dueSince)} and none goes out: look at the log, or run "signal send".`,
          ),
        ]
      : []),
  ];
}

/** The last weeks of the ledger, when the next signal falls due, how its mails stand and who gets them, as counts. */
export async function examineSignal(
  transaction: Transaction,
  environment: Environment,
  now: number,
): Promise<Finding[]> {
  const thisWeek = weekOf(now);
  const weeks = await newestIssues(transaction, WEEKS_TOLD, thisWeek);
  const standing = await readMailStanding(transaction, now);
  const [settings] = await transaction.query<{ asks: boolean }>(
    'select asks_to_confirm as asks from mailer.settings',
  );
  const { mail } = environment;
  const subscribers = counted(SUBSCRIBER_STATES, standing.subscribers);
  return [
    fine(
      `The next weekly signal falls due on ${writeInstant(nextUndecided(now, mail.signalTime, weeks[0]?.week ?? ''))}.`,
    ),
    ...examineFuture(await newestIssues(transaction, WEEKS_TOLD), thisWeek),
    ...examineDue(weeks[0], environment, now),
    ...weeks.map((week, at) => examineWeek(week, at === 0)),
    ...examineDeliveries(standing, now),
    ...(await examineReplies(transaction)),
    fine(`Subscribers: ${subscribers === '' ? 'none' : subscribers}.`),
    ...(settings !== undefined && settings.asks !== mail.asksToConfirm
      ? [
          note(
            `SUBSCRIBE_CONFIRM is ${mail.asksToConfirm}, but subscribers ${settings.asks ? 'are' : 'are not'} asked to confirm: the server writes it down when it starts.`,
          ),
        ]
      : []),
  ];
}
