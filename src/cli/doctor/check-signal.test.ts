import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { checkSignal } from './check-signal.ts';

describe('the weekly signal', () => {
  const { database, run, script } = databaseOfTheseTests();
  const found = async (now: string, values: Record<string, string> = {}) =>
    linesOf(
      await database.transaction((transaction) =>
        checkSignal(transaction, subjectOf(values, Date.parse(now))),
      ),
    );
  const decide = (week: string, at: string, session: string | null) =>
    run(
      `insert into mailer.issued_signals
         (week, status, reason, decided_at, session, verdict, score, formula_version, weights, inputs) values
         ($1, ${session ? "'issued', null, $2, $3, 'HOLD', 54" : "'withheld', 'It is stale.', $2, $3, null, null"}, '1', '{}', '{}')`,
      [week, at, session],
    );
  const deliver = (status: string, at: string) =>
    script(`insert into mailer.messages (channel, issue_id, name, content)
      select 'mail', id, week, '{}' from mailer.issued_signals where status = 'issued' on conflict do nothing;
      insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at, finished_at)
      select 'mail', max(message.id), subscriber.id, '${status}', '${at}', '${at}', case when '${status}' <> 'pending' then '${at}'::timestamptz end
      from public.email_subscribers as subscriber, mailer.messages as message group by subscriber.id
      on conflict (message_id, subscriber_id, target) do update set status = excluded.status, finished_at = excluded.finished_at`);

  beforeAll(async () => {
    await acceptAnyTime(database);
  });

  it('shows the time of the next signal if no signal was issued before', async () => {
    expect(await found('2026-11-19T12:00:00Z')).toEqual([
      'fine The next weekly signal falls due on Sat 21 Nov 2026, 09:00 New York time.',
      'fine Subscribers: none.',
    ]);
    expect((await found('2026-11-21T14:10:00Z', { SUBSCRIBE_CONFIRM: 'true' })).slice(1)).toEqual([
      'note The signal of the week of Mon 16 Nov 2026 fell due on Sat 21 Nov 2026, 09:00 New York time and is not decided yet. A running server decides it once the rows of the last close are stored.',
      'fine Subscribers: none.',
      'note SUBSCRIBE_CONFIRM is true, but subscribers are not asked to confirm. Restart the server to apply the setting.',
    ]);
  });

  it('is no fault if the signal was issued and its mails were sent', async () => {
    await run("insert into public.email_subscribers (email, is_active) values ('jane@example.org', true)");
    await decide('2026-11-16', '2026-11-21T14:00:00Z', '2026-11-20');
    await deliver('sent', '2026-11-21T14:00:00Z');
    expect((await found('2026-11-21T15:00:00Z')).slice(1)).toEqual([
      'fine The signal of the week of Mon 16 Nov 2026 was issued on Sat 21 Nov 2026, 09:00 New York time: HOLD 54.0.',
      'fine Mails of the newest signal: 1 sent.',
      'fine Subscribers: 1 active.',
    ]);
  });

  it('is a fault if most mails failed or none is sent for an hour', async () => {
    await deliver('expired', '2026-11-21T14:00:00Z');
    expect(await found('2026-11-21T15:00:00Z')).toContain('wrong Mails of the newest signal: 1 expired.');
    await script("update mailer.deliveries set status = 'refused', reply = '550 5.7.1'");
    expect((await found('2026-11-21T15:00:00Z')).slice(2, 4)).toEqual([
      'wrong Mails of the newest signal: 1 refused.',
      'note Replies of the mail server to failed mails: 550 5.7.1 (1).',
    ]);
    await deliver('pending', '2026-11-21T14:00:00Z');
    expect((await found('2026-11-21T14:50:00Z')).join()).not.toContain('wrong');
    expect(await found('2026-11-21T15:01:00Z')).toContain(
      'wrong Mails have been due since Sat 21 Nov 2026, 09:00 New York time, but none was sent. Read the log of the server, or run "signal send".',
    );
  });

  it('is no fault if at most 5 % of the mails failed', async () => {
    await script(`
      insert into public.email_subscribers (email, is_active) select 'n' || n || '@example.org', false from generate_series(1, 20) n;
      insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at)
        select 'mail', max(message.id), subscriber.id, case when email = 'n1@example.org' then 'expired' else 'sent' end, now(), now()
        from public.email_subscribers as subscriber, mailer.messages as message where not is_active group by subscriber.id;
      update mailer.deliveries set status = 'sent' where status = 'pending'`);
    expect((await found('2026-11-21T15:00:00Z')).slice(2, 4)).toEqual([
      'fine Mails of the newest signal: 20 sent, 1 expired.',
      'note Replies of the mail server to failed mails: none (1).',
    ]);
    await script('delete from public.email_subscribers where not is_active');
  });

  it('is a fault if the newest week was withheld or is overdue', async () => {
    expect(await found('2026-11-28T22:00:00Z')).toContain(
      'wrong The signal of the week of Mon 23 Nov 2026 fell due on Sat 28 Nov 2026, 09:00 New York time and is not decided. Start the server, or run "signal send".',
    );
    await decide('2026-11-23', '2026-11-28T20:00:00Z', null);
    await decide('2026-11-09', '2026-11-14T14:00:00Z', '2026-11-13');
    expect(await found('2026-11-28T22:00:00Z')).toContain(
      'wrong The signal of the week of Mon 23 Nov 2026 was withheld: It is stale.',
    );
    await decide('2026-11-30', '2026-12-05T14:00:00Z', '2026-12-04');
    expect(await found('2026-12-05T15:00:00Z')).toContain(
      'note The signal of the week of Mon 23 Nov 2026 was withheld: It is stale.',
    );
  });

  it('shows no address of a subscriber', async () => {
    expect((await found('2026-12-05T15:00:00Z')).join()).not.toMatch(/@|jane/);
  });

  it('is a fault if a process with a wrong clock decided a future week', async () => {
    await decide('2029-12-31', '2030-01-05T20:00:00Z', null);
    const findings = await found('2026-12-05T15:00:00Z');
    expect(findings[0]).toBe(
      'fine The next weekly signal falls due on Sat 12 Dec 2026, 09:00 New York time.',
    );
    expect(findings[1]).toMatch(
      /^wrong The signal of the week of Mon 31 Dec 2029 belongs to a future week, but was withheld on Sat 5 Jan 2030, .* because a clock was ahead\. Correct/,
    );
    expect(findings[2]).toMatch(/^fine The signal of the week of Mon 30 Nov 2026 was issued/);
  });
});
