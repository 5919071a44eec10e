import { expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { addSubscribers, issueWeek, storedDeliveries } from '#tests/support/deliveries.ts';
import { removeExpiredPersonalData } from './subscription.ts';

const { database, run: read, script } = databaseOfTheseTests();

it('deletes only old deliveries, unconfirmed addresses and old counts', async () => {
  await addSubscribers(database, ['old@example.org', 'waits@example.org', 'new@example.org']);
  await issueWeek(database);
  await script(`
    update mailer.deliveries set status = 'sent' where subscriber_id <> (select id from public.email_subscribers where email like 'waits%');
    update mailer.deliveries set created_at = now() - interval '401 days'
      where subscriber_id in (select id from public.email_subscribers where email not like 'new%');
    insert into public.email_subscribers (email, is_active, confirmed_at, deactivated_at, deactivated_because) values
      ('stranger@example.org', false, null, now() - interval '31 days', 'never confirmed'),
      ('lately@example.org', false, null, now() - interval '29 days', 'never confirmed'),
      ('left@example.org', false, now(), now() - interval '999 days', 'left'),
      ('typo@example.org', false, null, now() - interval '31 days', 'bounced'),
      ('moved@example.org', false, now(), now() - interval '31 days', 'bounced');
    insert into mailer.reports (subscriber_id, kind, digest, created_at)
      select id, 'hard bounce', sha256(days::text::bytea), now() - make_interval(days => days)
      from public.email_subscribers, unnest(array[399, 401]) as days where email like 'moved%';
    insert into mailer.subscription_counts (client, hour, added) values
      ('one', now() - interval '2 hours', 20), ('two', now(), 20)`);
  await removeExpiredPersonalData(database);
  expect((await storedDeliveries(database)).map(({ email, status }) => [email, status])).toEqual([
    ['waits@example.org', 'pending'],
    ['new@example.org', 'sent'],
  ]);
  expect(await read('select email from public.email_subscribers where not is_active order by email')).toEqual(
    [{ email: 'lately@example.org' }, { email: 'left@example.org' }, { email: 'moved@example.org' }],
  );
  expect(await read('select id from mailer.reports')).toHaveLength(1);
  expect(await read('select added from mailer.subscription_counts')).toHaveLength(1);
});
