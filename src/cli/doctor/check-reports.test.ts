import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { addresses, addSubscribers, issueWeek } from '#tests/support/deliveries.ts';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { checkReportSettings, checkReports } from './check-signal.ts';

const folder = folderForTests();

const SMTP = {
  SMTP_URL: 'smtp://mail.example.org',
  MAIL_FROM: 'a@example.org',
  PUBLIC_URL: 'https://example.org',
};
const ADDRESS = { MAIL_BOUNCE_ADDRESS: 'bounces@example.org' };

it.each([
  [{}, undefined],
  [{ ...ADDRESS, MAIL_BOUNCE_DIR: join(folder, 'none') }, 'wrong MAIL_BOUNCE_DIR is'],
  [SMTP, 'note MAIL_BOUNCE_ADDRESS and MAIL_WEBHOOKS are not set:'],
  [{ ...SMTP, MAIL_WEBHOOKS: 'mailgun=key-0123456789abcdef' }, 'fine Bounces are reported by mailgun.'],
  [{ ...SMTP, ...ADDRESS }, 'wrong MAIL_BOUNCE_ADDRESS is set, but no report is read:'],
  [{ ...SMTP, ...ADDRESS, MAIL_BOUNCE_TOKEN: 'a'.repeat(16) }, undefined],
  [{ ...SMTP, ...ADDRESS, MAIL_BOUNCE_DIR: folder }, `fine Bounces are read from ${folder}.`],
  [{ ...SMTP, ...ADDRESS, MAIL_BOUNCE_DIR: join(folder, 'none') }, 'wrong MAIL_BOUNCE_DIR is'],
])('the settings of reports give one finding at most: case %#', async (values, expected) => {
  const [finding, ...more] = await checkReportSettings(subjectOf(values));
  expect(more).toEqual([]);
  if (expected === undefined) expect(finding).toBeUndefined();
  else expect(`${finding?.state} ${finding?.text}`).toContain(expected);
});

describe('the reports of a week', () => {
  const { database, run } = databaseOfTheseTests();
  let now = 0;
  beforeAll(async () => {
    await addSubscribers(database, addresses(400));
    now = await issueWeek(database);
    await run(`update mailer.deliveries set status = 'sent', finished_at = due_at`);
  });

  const check = async () =>
    linesOf(await database.transaction((transaction) => checkReports(transaction, subjectOf({}, now))));
  const addComplaint = () =>
    run(`insert into mailer.reports (subscriber_id, kind, digest, created_at)
         select id, 'complaint', sha256(gen_random_uuid()::text::bytea), '${new Date(now).toISOString()}'
         from public.email_subscribers order by id limit 1`);

  it('cause a fault from three complaints per thousand mails on', async () => {
    expect(await check()).toEqual([]);
    await addComplaint();
    expect(await check()).toEqual(['fine Reports about 400 mails of the last 7 days: complaint (1).']);
    await addComplaint();
    expect(await check()).toEqual([
      'wrong Reports about 400 mails of the last 7 days: complaint (2). Mail providers refuse such a sender: check where the subscribers come from.',
    ]);
  });
});
