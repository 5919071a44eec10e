import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { addSubscribers, issueWeek, storedDeliveries } from '#tests/support/deliveries.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { REPORT_SAMPLES, type ReportedMail } from '#tests/support/mail-reports.ts';
import { makeReturnPath, makeToken, readSigningKey } from '../subscribers/token.ts';
import type { ServiceEvent } from './classify-report.ts';
import { LONGEST_REPORT, processEvents, processReport } from './process-report.ts';

const NOW = Date.parse('2026-11-22T08:00:00Z');
const READER = 'reader@example.com';

const { database, run: query, column } = databaseOfTheseTests();
const transactions = vi.spyOn(database, 'transaction');
let key: Uint8Array;
let weeks = 0;
let mail: ReportedMail;

beforeAll(async () => {
  await acceptAnyTime(database);
  key = await readSigningKey(database);
});

beforeEach(async () => {
  await query('delete from public.email_subscribers');
  await addSubscribers(database, [READER, 'other@example.com']);
  await issueWeek(database, weeks++);
  const [reference = ''] = await column<string>(
    `select reference from public.email_subscribers where email = '${READER}'`,
  );
  mail = {
    to: READER,
    returnPath: makeReturnPath(key, 'bounces@example.org', reference),
    unsubscribeUrl: `https://example.org/unsubscribe/${makeToken(key, 'unsubscribe', reference)}`,
  };
  transactions.mockClear();
});

const take = (raw: string) => processReport(database, Buffer.from(raw), { signingKey: key, now: NOW });

const sampleNamed = (name: string) => {
  const sample = REPORT_SAMPLES.find((each) => each.name === name);
  if (sample === undefined) throw new Error(`There is no sample "${name}".`);
  return sample.raw(mail);
};

const ended = () =>
  query(
    `select email, deactivated_because as because, deactivated_at as at from public.email_subscribers where not is_active`,
  );

const REASONS = { 'hard bounce': 'bounced', complaint: 'complained' } as const;

it.each(REPORT_SAMPLES)('takes "$name" and stores no address from it', async ({ raw, kind, status }) => {
  const because = REASONS[kind as keyof typeof REASONS];
  const expected = because === undefined ? 'recorded' : 'deactivated';
  expect(await take(raw(mail))).toEqual({ kind, result: expected });
  const at = new Date(NOW).toISOString();
  expect(await ended()).toEqual(because === undefined ? [] : [{ email: READER, because, at }]);
  const [row, ...others] = await query('select * from mailer.reports');
  expect([row, others]).toMatchObject([{ kind, status }, []]);
  expect(JSON.stringify(row)).not.toContain('@');
  expect(await take(raw(mail))).toEqual({ kind, result: 'repeated' });
});

it('skips the pending mails of a bounced address only', async () => {
  await take(sampleNamed('Postfix, no such user'));
  expect((await storedDeliveries(database)).map(({ email, status }) => [email, status])).toEqual([
    [READER, 'skipped'],
    ['other@example.com', 'pending'],
  ]);
});

it('also ends a newer subscription of a bounced address', async () => {
  await query(`update public.email_subscribers set is_active = false, deactivated_because = 'left'`);
  await addSubscribers(database, [READER]);
  expect(await take(sampleNamed('feedback report, abuse'))).toEqual({
    kind: 'complaint',
    result: 'deactivated',
  });
  expect(await column('select email from public.email_subscribers where is_active')).toEqual([]);
});

it('deactivates no address for a forged report and sends no query [T25]', async () => {
  const signature = /[0-9a-z]{13}@/;
  for (const { raw } of REPORT_SAMPLES) {
    const forged = raw({
      ...mail,
      returnPath: mail.returnPath.replace(signature, `${'0'.repeat(13)}@`),
      unsubscribeUrl: `https://example.org/unsubscribe/${'A'.repeat(43)}`,
    });
    expect((await take(forged)).result).toBe('unverified');
  }
  expect(transactions).not.toHaveBeenCalled();
  expect(await ended()).toEqual([]);
});

it('stores nothing about an erased subscriber', async () => {
  const raw = sampleNamed('Postfix, no such user');
  await query(`delete from public.email_subscribers where email = '${READER}'`);
  expect((await take(raw)).result).toBe('unverified');
  expect(await query('select from mailer.reports')).toEqual([]);
});

it('reads only the beginning of a report that is too long', async () => {
  const raw = sampleNamed('Postfix, no such user').replace(
    '\n\nHOLD 54\n',
    `\n\n${'x'.repeat(LONGEST_REPORT)}\n`,
  );
  expect(await take(raw)).toEqual({ kind: 'hard bounce', result: 'deactivated' });
});

describe('the events of a mail service', () => {
  const eventOf = (email: string, kind: ServiceEvent['kind'], id = '1'): ServiceEvent => ({
    ...{ id, email, kind, status: '', words: '' },
  });
  /** Processes events, and returns their kinds in the order in which their rows are locked. */
  const lockOrder = async (events: readonly ServiceEvent[]) => {
    const options = { service: 'postmark', hasToken: false, now: NOW };
    return (await processEvents(database, events, options)).map(({ kind }) => kind);
  };

  // Different orders in two processes could cause a deadlock.
  it.each(['zed@example.com', 'Zed@example.com', 'ZED@EXAMPLE.COM'])(
    'lock the subscribers in the order of their stored addresses: %s',
    async (zed) => {
      await addSubscribers(database, ['amy@example.com', 'zed@example.com']);
      const events = [eventOf(zed, 'complaint'), eventOf('amy@example.com', 'hard bounce')];
      expect(await lockOrder(events)).toEqual(['hard bounce', 'complaint']);
      expect((await ended()).map(({ email }) => email)).toEqual(['amy@example.com', 'zed@example.com']);
    },
  );

  it('lock the reports about one address in the same order if they are repeated in another one', async () => {
    const events = [eventOf(READER, 'complaint', '1'), eventOf(READER, 'soft bounce', '2')];
    expect(await lockOrder(events)).toEqual(await lockOrder(events.toReversed()));
  });
});
