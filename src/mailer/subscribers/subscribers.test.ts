import { beforeEach, describe, expect, it, vi } from 'vitest';
import { queryOnce } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { eraseSubscriber } from './erase.ts';
import { exportSubscribers } from './export-subscribers.ts';
import { confirm, dropUnconfirmed, setAsksToConfirm, unsubscribe } from './subscription.ts';
import { readSigningKey } from './token.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

const { database, run, column } = databaseOfTheseTests();
const used = vi.spyOn(database, 'transaction');
/** The options of the transactions that the tests do not make themselves. */
const optionsUsed = () =>
  used.mock.calls.map(([, options]) => options).filter((options) => options && !options.role);

beforeEach(async () => {
  await run('delete from public.email_subscribers');
  await run('update mailer.settings set asks_to_confirm = false');
  used.mockClear();
});

/** Subscribes an address in the same way as a visitor. Returns the subscriber's reference. */
async function subscribe(address: string): Promise<string> {
  const insert = 'insert into public.email_subscribers (email) values ($1)';
  await queryOnce(database, insert, [address], { role: 'anon' });
  const newest = 'select reference from public.email_subscribers order by id desc limit 1';
  return (await column<string>(newest))[0] ?? '';
}

async function subscriber(reference: string) {
  const [row] = await run(
    `select is_active, confirmed_at is not null as confirmed, deactivated_because as because,
            deactivated_at is not null as has_end
     from public.email_subscribers where reference = $1::uuid`,
    [reference],
  );
  return row;
}

const deliveries = () => column('select status from mailer.deliveries order by id');

const ACTIVE = { is_active: true, confirmed: true, because: null, has_end: false };
const LEFT = { is_active: false, confirmed: true, because: 'left', has_end: true };

describe('unsubscribing', () => {
  it('ends a subscription once, durably, and returns a different result the second time', async () => {
    const reference = await subscribe('jane@example.org');
    expect(await unsubscribe(database, reference)).toBe('left');
    expect(optionsUsed()).toMatchObject([{ durable: true }]);
    expect(await subscriber(reference)).toEqual(LEFT);
    expect(await unsubscribe(database, reference)).toBe('left before');
    expect(await unsubscribe(database, NOBODY)).toBe('unknown');
  });

  it('ends the newer subscription of an address by the link of an earlier subscription', async () => {
    const first = await subscribe('jane@example.org');
    const other = await subscribe('john@example.org');
    await unsubscribe(database, first);
    const second = await subscribe('Jane@Example.org');
    expect(await unsubscribe(database, first)).toBe('left');
    expect(await subscriber(second)).toEqual(LEFT);
    expect(await subscriber(other)).toEqual(ACTIVE);
    expect(await unsubscribe(database, first)).toBe('left before');
    expect(await unsubscribe(database, second)).toBe('left before');
  });

  it('skips only the pending deliveries of the subscriber', async () => {
    const reference = await subscribe('jane@example.org');
    const add = (week: string, status: string) =>
      run(
        `with issue as (
           insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
           values ($2::date, 'withheld', 'For a test.', now(), '1', '{}', '{}') returning id
         ), message as (
           insert into mailer.messages (channel, issue_id, name, content)
           select 'mail', id, $2, '{}' from issue returning id
         )
         insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at)
         select 'mail', message.id, s.id, $3, now(), now() from message, public.email_subscribers s
         where reference = $1::uuid`,
        [reference, week, status],
      );
    await add('2026-11-09', 'sent');
    await add('2026-11-16', 'pending');
    await unsubscribe(database, reference);
    expect(await deliveries()).toEqual(['sent', 'skipped']);
  });
});

describe('confirming', () => {
  const UNCONFIRMED = { ...ACTIVE, confirmed: false };

  it('is needed only while SUBSCRIBE_CONFIRM is on', async () => {
    expect(await subscriber(await subscribe('one@example.org'))).toEqual(ACTIVE);
    await setAsksToConfirm(database, true);
    await setAsksToConfirm(database, true);
    expect(await subscriber(await subscribe('two@example.org'))).toEqual(UNCONFIRMED);
    await setAsksToConfirm(database, false);
    expect(await subscriber(await subscribe('three@example.org'))).toEqual(ACTIVE);
  });

  it('is not needed for addresses that the operator adds', async () => {
    await setAsksToConfirm(database, true);
    await run("insert into public.email_subscribers (email) values ('jane@example.org')");
    expect(await column('select confirmed_at is not null from public.email_subscribers')).toEqual([true]);
    expect(await deliveries()).toEqual([]);
  });

  it('is durable and skips the pending confirmation mail', async () => {
    await setAsksToConfirm(database, true);
    const reference = await subscribe('jane@example.org');
    expect(await deliveries()).toEqual(['pending']);
    used.mockClear();
    expect(await confirm(database, reference)).toBe('confirmed');
    expect(optionsUsed()).toMatchObject([{ durable: true }]);
    expect(await subscriber(reference)).toEqual(ACTIVE);
    expect(await deliveries()).toEqual(['skipped']);
    expect(await confirm(database, reference)).toBe('confirmed before');
    expect(await confirm(database, NOBODY)).toBe('unknown');
  });

  it('is requested again if the address subscribes again after a day', async () => {
    await setAsksToConfirm(database, true);
    const first = await subscribe('jane@example.org');
    const pass = (time: string) =>
      run(`update public.email_subscribers set created_at = created_at - interval '${time}'`);
    for (const time of ['0 s', '23:50']) {
      await pass(time);
      await expect(subscribe('Jane@example.org')).rejects.toMatchObject({ code: '23505' });
    }
    await pass('00:10');
    const second = await subscribe('Jane@example.org');
    expect(await subscriber(first)).toMatchObject({ is_active: false, because: 'never confirmed' });
    expect(await deliveries()).toEqual(['skipped', 'pending']);
    expect(await confirm(database, first)).toBe('unknown');
    expect(await confirm(database, second)).toBe('confirmed');
    await pass('1 day');
    await expect(subscribe('jane@example.org')).rejects.toMatchObject({ code: '23505' });
  });

  it('is possible for seven days', async () => {
    await subscribe('confirmed@example.org');
    await setAsksToConfirm(database, true);
    const reference = await subscribe('jane@example.org');
    const days = "select max(created_at) + interval '7 days' from public.email_subscribers";
    const end = Date.parse((await column<string>(days))[0] ?? '');
    expect(await dropUnconfirmed(database, end - 1)).toBe(0);
    expect(await dropUnconfirmed(database, end + 1)).toBe(1);
    expect(await dropUnconfirmed(database, end + 1)).toBe(0);
    expect(await subscriber(reference)).toEqual({
      ...{ is_active: false, confirmed: false },
      ...{ because: 'never confirmed', has_end: true },
    });
    expect(await confirm(database, reference)).toBe('unknown');
    expect(await subscribe('jane@example.org')).not.toBe(reference);
  });
});

describe('erasing', () => {
  it('deletes all rows of an address in any spelling, with their deliveries', async () => {
    const first = await subscribe('Jane+Weekly@bücher.example');
    await unsubscribe(database, first);
    await setAsksToConfirm(database, true);
    await subscribe(' jane+weekly@BÜCHER.example ');
    const other = await subscribe('jane@bücher.example');
    used.mockClear();
    expect(await eraseSubscriber(database, '\tＪANE+weekly@ｂücher.example \n')).toBe(2);
    expect(optionsUsed()).toMatchObject([{ durable: true }]);
    expect(await column('select reference from public.email_subscribers')).toEqual([other]);
    expect(await deliveries()).toEqual(['pending']);
    expect(await eraseSubscriber(database, 'JANE+weekly@bücher.example')).toBe(0);
  });

  it('deletes a row with an invalid address', async () => {
    await run('alter table public.email_subscribers disable trigger subscriber_1_normalised');
    await run("insert into public.email_subscribers (email, is_active) values ('x@e..org', false)");
    await run('alter table public.email_subscribers enable trigger subscriber_1_normalised');
    expect(await eraseSubscriber(database, ' X@e..org')).toBe(1);
  });

  it.each(['', '%', '@', "' or true --", '_ane@example.org'])('treats %j as plain text', async (address) => {
    await subscribe('jane@example.org');
    expect(await eraseSubscriber(database, address)).toBe(0);
  });
});

describe('the export', () => {
  async function exported(options = {}): Promise<string[]> {
    let text = '';
    const { written } = await exportSubscribers(database, {
      ...options,
      write: (lines) => {
        text += lines;
      },
    });
    const lines = text.match(/.*\r\n/g) ?? [];
    expect(lines).toHaveLength(written + 1);
    return lines;
  }

  it('has active and ended subscriptions in order, with times in UTC', async () => {
    await run(
      `insert into public.email_subscribers
         (email, is_active, alerts, created_at, confirmed_at, deactivated_at, deactivated_because) values
         ('jane@example.org', false, true, '2026-11-13 16:00-05', '2026-11-13 16:01-05', '2026-11-20 16:00:00.5-05', 'left'),
         ('john@example.org', true, false, '2026-11-14 16:00-05', null, null, null)`,
    );
    expect((await exported()).slice(1)).toEqual([
      'jane@example.org,false,true,2026-11-13T21:00:00.000Z,2026-11-13T21:01:00.000Z,2026-11-20T21:00:00.500Z,left\r\n',
      'john@example.org,true,false,2026-11-14T21:00:00.000Z,,,\r\n',
    ]);
  });

  it('escapes formulas and separators', async () => {
    // Old rows may have these characters, because they were stored before the database normalized addresses.
    await run('alter table public.email_subscribers disable trigger subscriber_1_normalised');
    const formulas = ['=1+1@a.co', '+jane@a.co', '-2@a.co', '＝cmd@a.co'];
    for (const address of [...formulas, 'a"b@a.co', 'a,=1@a.co', "o'neil@a.co"]) await subscribe(address);
    await run('alter table public.email_subscribers enable trigger subscriber_1_normalised');
    const cells = (await exported()).slice(1).map((line) => line.replace(/,true,.*\r\n$/, ''));
    const marked = formulas.map((address) => `'${address}`);
    expect(cells).toEqual([...marked, '"a""b@a.co"', '"a,=1@a.co"', "o'neil@a.co"]);
  });

  it('has only active and confirmed subscribers if requested', async () => {
    await run(
      `insert into public.email_subscribers (email, is_active, created_at, confirmed_at, deactivated_because) values
         ('jane@example.org', true, '2026-11-13 16:00-05', '2026-11-13 16:01-05', null),
         ('left@example.org', false, now(), now(), 'left'), ('waits@example.org', true, now(), null, null),
         ('+tag@example.org', true, now(), now(), null)`,
    );
    const active = await exported({ isActiveOnly: true });
    expect(active.slice(1).map((line) => line.split(',')[0])).toEqual([
      'jane@example.org',
      "'+tag@example.org",
    ]);
    expect(await exported({ isActiveOnly: true, format: 'listmonk' })).toEqual([
      'email,name,attributes,status,created_at\r\n',
      'jane@example.org,,"{""consent_date"":""2026-11-13T21:01:00.000Z""}",enabled,2026-11-13T21:01:00.000Z\r\n',
    ]);
  });

  it('reads pages in separate transactions and waits for the writer', async () => {
    await run(
      "insert into public.email_subscribers (email) select n || '@example.org' from generate_series(1, 2500) as n",
    );
    let lines = 0;
    let waiting = 0;
    const { written } = await exportSubscribers(database, {
      write: async (text) => {
        waiting += 1;
        expect(waiting).toBe(1);
        await Promise.resolve();
        waiting -= 1;
        lines += text.split('\r\n').length - 1;
      },
    });
    expect([written, lines]).toEqual([2500, 2501]);
    expect(optionsUsed()).toEqual(Array.from({ length: 3 }, () => ({ readOnly: true })));
  });
});

it('the key that signs links is equal at each read until it is missing, which is an error', async () => {
  const key = await readSigningKey(database);
  expect(key).toHaveLength(32);
  expect(await readSigningKey(database)).toEqual(key);
  await run('delete from mailer.settings');
  await expect(readSigningKey(database)).rejects.toThrow('has no key to sign links');
  await run('insert into mailer.settings default values');
  expect(await readSigningKey(database)).not.toEqual(key);
});
