import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { readMailStatus } from './mail-status.ts';

const NOW = Date.parse('2026-11-21T15:00:00Z');

describe('the mail status', () => {
  const { database, script } = databaseOfTheseTests();
  const status = () =>
    database.transaction((transaction) => readMailStatus(transaction, NOW), { readOnly: true });
  beforeAll(() => acceptAnyTime(database));

  it('is empty for a new database', async () => {
    expect(await status()).toEqual({
      subscribers: {
        active: 0,
        unconfirmed: 0,
        left: 0,
        'address refused': 0,
        'never confirmed': 0,
        bounced: 0,
        complained: 0,
        inactive: 0,
      },
      isWithheld: null,
      lastIssuedAt: null,
      deliveries: { pending: 0, sending: 0, sent: 0, refused: 0, expired: 0, skipped: 0 },
      dueSince: null,
      lastFinishedAt: null,
    });
  });

  it('counts subscribers by state and deliveries of the newest issue by status', async () => {
    await script(`
      insert into public.email_subscribers (email, is_active, confirmed_at, deactivated_because) values
        ('a@example.org', true, now(), null), ('b@example.org', true, now(), null),
        ('c@example.org', true, null, null), ('d@example.org', false, now(), 'left'),
        ('e@example.org', false, now(), null);
      delete from mailer.deliveries;
      insert into mailer.issued_signals
        (week, status, reason, decided_at, session, verdict, score, formula_version, weights, inputs) values
        ('2026-11-02', 'issued', null, '2026-11-07T14:00Z', '2026-11-06', 'HOLD', 50, '1', '{}', '{}'),
        ('2026-11-09', 'issued', null, '2026-11-14T14:00Z', '2026-11-13', 'HOLD', 50, '1', '{}', '{}'),
        ('2026-11-16', 'withheld', 'Stale.', '2026-11-21T20:00Z', null, null, null, '1', '{}', '{}'),
        ('2029-12-31', 'issued', null, '2030-01-05T14:00Z', '2030-01-04', 'HOLD', 50, '1', '{}', '{}');
      insert into mailer.messages (channel, issue_id, name, content)
        select 'mail', id, week, '{}' from mailer.issued_signals where status = 'issued';
      insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at, finished_at)
        select 'mail', message.id, subscriber.id, case when subscriber.email like 'a@%' then 'sent' else 'pending' end,
          issue.decided_at, issue.decided_at + interval '2 days',
          case when subscriber.email like 'a@%' then issue.decided_at end
        from mailer.messages as message join mailer.issued_signals as issue on issue.id = issue_id,
          public.email_subscribers as subscriber
        where issue.week in ('2026-11-02', '2026-11-09')
          and (subscriber.email like 'a@%' or issue.week = '2026-11-09')`);
    expect(await status()).toMatchObject({
      subscribers: { active: 2, unconfirmed: 1, left: 1, inactive: 1 },
      isWithheld: true,
      lastIssuedAt: Date.parse('2026-11-14T14:00:00Z'),
      deliveries: { sent: 1, pending: 4, expired: 0 },
      dueSince: Date.parse('2026-11-14T14:00:00Z'),
      lastFinishedAt: Date.parse('2026-11-14T14:00:00Z'),
    });
  });

  it('counts a sent alert as finished, so that other due mails are not stuck', async () => {
    await script(`
      insert into archive.verdict_changes (session, at, to_verdict, score, source, formula_version)
        values ('2026-11-20', '2026-11-20T21:30Z', 'BUY', 61, 'live', '2');
      insert into mailer.messages (channel, change_id, name, content)
        select 'mail', id, 'change', '{}' from archive.verdict_changes;
      insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at, finished_at)
        select 'mail', message.id, min(subscriber.id), 'sent', now(), now(), '2026-11-20T21:40Z'
        from mailer.messages as message, public.email_subscribers as subscriber where change_id is not null group by 2`);
    expect((await status()).lastFinishedAt).toBe(Date.parse('2026-11-20T21:40:00Z'));
  });
});
