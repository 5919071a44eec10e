import { askSmtp } from '#mailer/deliver/ask-smtp.ts';
import type { MailSettings } from '#mailer/settings.ts';
import { type Finding, fine, wrong } from './finding.ts';

/** The doctor does not wait as long as a mail would (ms). */
const PATIENCE = 5_000;

/** Whether the mail server can be reached and takes the login; asks nothing where there is none. */
export async function examineSmtp(
  { smtpUrl }: Pick<MailSettings, 'smtpUrl'>,
  patience = PATIENCE,
): Promise<Finding[]> {
  if (smtpUrl === null) return [];
  const problem = await askSmtp(smtpUrl, patience);
  if (problem !== null) return [wrong(problem)];
  const login = new URL(smtpUrl).username === '' ? '' : ' and takes the login';
  return [fine(`The mail server answers${login}.`)];
}
