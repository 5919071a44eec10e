import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { REPORT_KINDS } from '#mailer/reports/classify-report.ts';
import { type Check, type DatabaseCheck, type Finding, fine, note, wrong } from './finding.ts';

/** Checks that the reports in a folder can be read and deleted. */
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
  if (mail.smtpUrl === null) return [];
  if (mail.bounceAddress === null) {
    return [
      note(
        'MAIL_BOUNCE_ADDRESS is not set: addresses whose mails bounce later stay active. Set it to a mailbox for bounces.',
      ),
    ];
  }
  const { token, folder } = mailReports;
  if (token === null && folder === null) {
    return [
      wrong('MAIL_BOUNCE_ADDRESS is set, but no report is read: set MAIL_BOUNCE_TOKEN or MAIL_BOUNCE_DIR.'),
    ];
  }
  return folder === null ? [] : [await examineFolder(folder)];
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
    'select kind, count(*) as count from mailer.reports where created_at > $1::timestamptz group by 1',
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
    .map((kind) => `${kind} (${countOf(kind).toLocaleString('en-US')})`)
    .join(', ');
  const text = `Reports about ${sent.toLocaleString('en-US')} mails of the last ${DAYS} days: ${counts}`;
  if (isTooMany('complaint', MAY_COMPLAIN) || isTooMany('hard bounce', MAY_BOUNCE)) {
    return [wrong(`${text}. Mail providers refuse such a sender: check where the subscribers come from.`)];
  }
  return [fine(`${text}.`)];
};
