import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import type { Transaction } from '#database/port.ts';
import { nextUndecided, SIGNAL_EXPIRES_MS, WAIT_FOR_ROWS_MS } from '#mailer/decide/signal-schedule.ts';
import { type Issue, newestIssues } from '#mailer/decide/stored-decisions.ts';
import { type MailStatus, readMailStatus } from '#mailer/mail-status.ts';
import { REPORT_KINDS } from '#mailer/reports/classify-report.ts';
import { newestSignal, weekOf } from '#mailer/week.ts';
import type { Environment } from '../settings/environment.ts';
import { nameOf, writeInstant, writeVerdict } from '../terminal/signal-report.ts';
import { writeCounts, writeNumber } from '../terminal/wording.ts';
import { type Check, type DatabaseCheck, type Finding, findings, fine, note, wrong } from './finding.ts';

const HOUR = 3_600_000;
/** Deliveries count as stuck if none was completed for this long (ms) although mails were due. */
const STUCK_AFTER = HOUR;
/** Time (ms) after which a due signal must be decided. An hour after WAIT_FOR_ROWS_MS, no server can be running. */
const UNDECIDED_AFTER = WAIT_FOR_ROWS_MS + HOUR;
const WEEKS_SHOWN = 4;
/** Share of failed mails in a week (0–1) that is normal, because some mailboxes always fail. */
const MAY_FAIL = 0.05;
const REPLIES_SHOWN = 3;

function examineWeek(issue: Issue, isNewest: boolean): Finding {
  if (issue.status === 'withheld') {
    return (isNewest ? wrong : note)(`${nameOf(issue)} was withheld: ${issue.reason}`);
  }
  return fine(`${nameOf(issue)} was issued on ${writeInstant(issue.decidedAt)}: ${writeVerdict(issue)}.`);
}

/** Reports signals of future weeks. They were decided by a process whose clock was ahead. */
function examineFuture(weeks: readonly Issue[], thisWeek: string): Finding[] {
  return weeks
    .filter(({ week }) => week > thisWeek)
    .map((issue) =>
      wrong(
        `${nameOf(issue)} belongs to a future week, but was ${issue.status} on ${writeInstant(issue.decidedAt)} because a clock was ahead. Correct the clock of each machine that runs "serve" or "signal send". No other signal is sent in that week.`,
      ),
    );
}

/** Reports a signal that is due and not decided. The finding is a note before UNDECIDED_AFTER, and a fault after it. */
function examineDue(
  newest: Issue | undefined,
  { mail: { signalTime } }: Environment,
  now: number,
): Finding[] {
  const due = newestSignal(now, signalTime);
  const isOpen = newest === undefined ? now - due.at < SIGNAL_EXPIRES_MS : newest.week < due.week;
  if (!isOpen) return [];
  const text = `${nameOf(due)} fell due on ${writeInstant(due.at)} and is not decided`;
  if (now - due.at < UNDECIDED_AFTER || newest === undefined) {
    return [note(`${text} yet. A running server decides it once the rows of the last close are stored.`)];
  }
  return [wrong(`${text}. Start the server, or run "signal send".`)];
}

/** Lists the mail server's replies for the failed mails of the newest signal, the most frequent reply first. */
async function examineReplies(transaction: Transaction): Promise<Finding[]> {
  const replies = await transaction.query<{ reply: string | null; count: number }>(
    `select reply, count(*) as count from mailer.deliveries
     where status in ('refused', 'expired') and message_id =
       (select id from mailer.messages where channel = 'mail' and issue_id is not null order by issue_id desc limit 1)
     group by 1 order by 2 desc, 1 limit ${REPLIES_SHOWN}`,
  );
  const shown = replies.map(({ reply, count }) => `${reply ?? 'none'} (${writeNumber(count)})`);
  return shown.length === 0 ? [] : [note(`Replies of the mail server to failed mails: ${shown.join(', ')}.`)];
}

function examineDeliveries({ deliveries, dueSince, lastFinishedAt }: MailStatus, now: number): Finding[] {
  const mails = writeCounts(deliveries);
  const failed = deliveries.refused + deliveries.expired;
  const isMuch = failed > MAY_FAIL * (deliveries.sent + failed);
  const isStuck =
    dueSince !== null && now - dueSince > STUCK_AFTER && now - (lastFinishedAt ?? dueSince) > STUCK_AFTER;
  return findings(
    mails !== '' && (isMuch ? wrong : fine)(`Mails of the newest signal: ${mails}.`),
    isStuck &&
      wrong(
        `Mails have been due since ${writeInstant(dueSince)}, but none was sent. Read the log of the server, or run "signal send".`,
      ),
  );
}

/** Describes the next and the last weekly signals, and counts the mails and the subscribers. */
export const checkSignal: DatabaseCheck = async (transaction, { environment, now }) => {
  const thisWeek = weekOf(now);
  const weeks = await newestIssues(transaction, WEEKS_SHOWN, thisWeek);
  const mails = await readMailStatus(transaction, now);
  const [settings] = await transaction.query<{ asks: boolean }>(
    'select asks_to_confirm as asks from mailer.settings',
  );
  const { mail } = environment;
  const subscribers = writeCounts(mails.subscribers);
  return findings(
    fine(
      `The next weekly signal falls due on ${writeInstant(nextUndecided(now, mail.signalTime, weeks[0]?.week ?? ''))}.`,
    ),
    ...examineFuture(await newestIssues(transaction, WEEKS_SHOWN), thisWeek),
    ...examineDue(weeks[0], environment, now),
    ...weeks.map((week, at) => examineWeek(week, at === 0)),
    ...examineDeliveries(mails, now),
    ...(await examineReplies(transaction)),
    fine(`Subscribers: ${subscribers === '' ? 'none' : subscribers}.`),
    settings !== undefined &&
      settings.asks !== mail.doubleOptIn &&
      note(
        `SUBSCRIBE_CONFIRM is ${mail.doubleOptIn}, but subscribers ${settings.asks ? 'are' : 'are not'} asked to confirm. Restart the server to apply the setting.`,
      ),
  );
};

async function examineFolder(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory())
    return wrong(`MAIL_BOUNCE_DIR is ${folder}, which is not a folder. Set it to the folder of the reports.`);
  const canUse = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  return canUse
    ? fine(`Bounces are read from ${folder}.`)
    : wrong(`${folder} cannot be read and written: give this user the rights to MAIL_BOUNCE_DIR.`);
}

/** Lists the ways in which bounces and complaints reach the server. */
export const checkReportSettings: Check = async ({ environment: { mail, mailReports } }) => {
  const { token, folder, webhooks } = mailReports;
  const fromFolder = folder === null ? [] : [await examineFolder(folder)];
  if (mail.smtpUrl === null) return fromFolder;
  const services = webhooks.map(({ service }) => service).join(', ');
  const ways = findings(services !== '' && fine(`Bounces are reported by ${services}.`), ...fromFolder);
  if (ways.length > 0 || token !== null) return ways;
  return [
    mail.bounceAddress === null
      ? note(
          'MAIL_BOUNCE_ADDRESS and MAIL_WEBHOOKS are not set: addresses whose mails bounce later stay active. Set one of them.',
        )
      : wrong('MAIL_BOUNCE_ADDRESS is set, but no report is read: set MAIL_BOUNCE_TOKEN or MAIL_BOUNCE_DIR.'),
  ];
};

const DAYS = 7;
/** Share of complaints and share of hard bounces (0–1) from which on large mail providers refuse mails of a sender. */
const MAY_COMPLAIN = 0.003;
const MAY_BOUNCE = 0.05;
/** Minimum number of mails for which a share is meaningful. */
const FEWEST_MAILS = 100;

/** Compares the number of reports in the last days with the number of mails sent in these days. */
export const checkReports: DatabaseCheck = async (transaction, { now }) => {
  const since = new Date(now - DAYS * 86_400_000).toISOString();
  const rows = await transaction.query<{ kind: string; count: number }>(
    'select kind, count(*) as count from mailer.reports where created_at > $1::timestamptz and subscriber_id is not null group by 1',
    [since],
  );
  if (rows.length === 0) return [];
  const [mails] = await transaction.query<{ sent: number }>(
    "select count(*) as sent from mailer.deliveries where channel = 'mail' and status = 'sent' and finished_at > $1::timestamptz",
    [since],
  );
  const sent = mails?.sent ?? 0;
  const countOf = (kind: string) => rows.find((row) => row.kind === kind)?.count ?? 0;
  const isTooMany = (kind: string, share: number) => sent >= FEWEST_MAILS && countOf(kind) > share * sent;
  const counts = REPORT_KINDS.filter((kind) => countOf(kind) > 0)
    .map((kind) => `${kind} (${writeNumber(countOf(kind))})`)
    .join(', ');
  const text = `Reports about ${writeNumber(sent)} mails of the last ${DAYS} days: ${counts}`;
  if (isTooMany('complaint', MAY_COMPLAIN) || isTooMany('hard bounce', MAY_BOUNCE)) {
    return [wrong(`${text}. Mail providers refuse such a sender: check where the subscribers come from.`)];
  }
  return [fine(`${text}.`)];
};
