import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '#server/http/client-address.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { asOwnerOf, flood, insertAs, MOST, TOO_MANY } from '#tests/support/subscribing.ts';

const ONE = '203.0.113.1';
const FLOOD = 100;

/** Bodies of at most 4 KB that are expensive to parse, or that no JSON text is. */
const ODD_BODIES: readonly (readonly [name: string, body: string | Buffer])[] = [
  ['lists within lists', '['.repeat(2_000) + ']'.repeat(2_000)],
  ['lists within lists as an address', `{"email":${'['.repeat(2_000)}${']'.repeat(2_000)}}`],
  ['objects within objects', `${'{"email":'.repeat(400)}1${'}'.repeat(400)}`],
  ['a list that does not end', '['.repeat(4_000)],
  ['many columns', `{${Array.from({ length: 400 }, (_, at) => `"c${at}":1`).join()}}`],
  ['a column many times', `{${'"email":1,'.repeat(400)}"email":2}`],
  ['a number of thousands of digits', `{"email":${'9'.repeat(4_000)},"is_active":true}`],
  ['half a character', '{"email":"\\ud800@example.org","is_active":true}'],
  ['bytes that are not UTF-8', Buffer.from('{"email":"a@b.co\xff","is_active":true}', 'latin1')],
];

describe('subscribing', () => {
  const { database, run } = databaseOfTheseTests();
  const trustedProxies = parseTrustedProxies('10.0.0.0/8') ?? undefined;
  const server = shared(() => serveGate(database, { ...LONG_WAIT, config: { trustedProxies } }));
  const { emails, forgetAll, stopAt } = asOwnerOf(database);
  beforeEach(async () => {
    await forgetAll();
    await stopAt(14);
  });
  const insert = (row: unknown, client = ONE, headers = {}) => insertAs(client, server.url, row, headers);
  const subscribe = (email: string, client?: string) => insert({ email, is_active: true }, client);

  it.each(ODD_BODIES)('refuses %s', async (_, body) => {
    const { status } = await sendRequest(server.url, '/rest/v1/email_subscribers', {
      method: 'POST',
      headers: { apikey: KEY, 'Content-Type': 'application/json', 'X-Forwarded-For': ONE },
      body,
    });
    expect(status).toBe(400);
    expect(await emails()).toEqual([]);
  });

  it.each([
    ['  Ann@Example.COM ', 'ann@example.com'],
    ['ünï@例え.テスト', 'ünï@xn--r8jz45g.xn--zckzah'],
    [`${'a'.repeat(308)}@example.com`, `${'a'.repeat(308)}@example.com`],
  ])('stores %j as %s', async (email, kept) => {
    expect((await subscribe(email)).status).toBe(201);
    expect(await emails()).toEqual([kept]);
    // Confirmation is off by default.
    expect(await run('select from public.email_subscribers where confirmed_at is null')).toEqual([]);
  });

  it('inserts a list completely or not at all', async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ email: `m${at}@example.com` }));
    const { status, text, headers } = await insert(list(MOST + 5));
    expect([status, JSON.parse(text)]).toEqual([429, TOO_MANY]);
    expect(headers.get('retry-after')).toBe('3600');
    expect(await emails()).toEqual([]);
    expect((await insert([...list(2), { email: 'a,b@example.com' }])).status).toBe(400);
    expect(await emails()).toEqual([]);
    expect((await insert(list(MOST))).status).toBe(201);
    expect((await subscribe('one-more@example.com')).status).toBe(429);
    expect(await emails()).toHaveLength(MOST);
  });

  it('accepts at most twenty per hour from each client [S8.6] [T17]', async () => {
    const flooding = flood(ONE, [server.url], FLOOD);
    for (let at = 0; at < 5; at += 1) {
      expect((await subscribe(`other${at}@example.com`, `203.0.113.${at + 2}`)).status).toBe(201);
    }
    expect(await flooding).toEqual({ 201: MOST, 429: FLOOD - MOST });
    expect(await emails()).toHaveLength(MOST + 5);
    await stopAt(15);
    expect((await subscribe('next-hour@example.com')).status).toBe(201);
    // Counts of earlier hours are deleted.
    expect(await run('select added from mailer.subscription_counts')).toEqual([{ added: 1 }]);
  });

  it('counts neither refused nor existing addresses', async () => {
    for (let at = 0; at < MOST + 5; at += 1) await subscribe('nobody');
    expect((await subscribe('ann@example.com')).status).toBe(201);
    for (let at = 0; at < MOST + 5; at += 1) expect((await subscribe('ann@example.com')).status).toBe(409);
    expect(await run('select added from mailer.subscription_counts')).toEqual([{ added: 1 }]);
  });

  it('counts an IPv6 /64 as one client, and a mapped IPv4 address as IPv4', async () => {
    for (let at = 0; at < MOST; at += 1) await subscribe(`six${at}@example.com`, `2001:db8:0:1::${at}`);
    expect((await subscribe('last@example.com', '2001:db8:0:1:ffff:ffff:ffff:ffff')).status).toBe(429);
    expect((await subscribe('beside@example.com', '2001:db8:0:2::1')).status).toBe(201);
    await subscribe('four@example.com', '203.0.113.9');
    await subscribe('mapped@example.com', '::ffff:203.0.113.9');
    const counts = await run('select added from mailer.subscription_counts order by added');
    expect(counts).toEqual([{ added: 1 }, { added: 2 }, { added: MOST }]);
  });

  it('counts the client that the trusted proxies name, not the one that a request claims to be', async () => {
    for (const claimed of ['192.0.2.1', '192.0.2.2']) {
      const row = { email: `ann@${claimed}.example`, is_active: true };
      const { status } = await insert(row, `${claimed}, ${ONE}, 10.0.0.1`, { 'CF-Connecting-IP': claimed });
      expect(status).toBe(201);
    }
    await subscribe('beside@example.com', '203.0.113.9, 10.0.0.1');
    const counts = await run('select added from mailer.subscription_counts order by added');
    expect(counts).toEqual([{ added: 1 }, { added: 2 }]);
  });

  it('stores no plain address of a client', async () => {
    await subscribe('ann@example.com', '203.0.113.77');
    const dump = [
      await run('select client::text, encode(client, $1) as escaped from mailer.subscription_counts', [
        'escape',
      ]),
      await run('select * from public.email_subscribers'),
      await run('select * from mailer.deliveries'),
    ];
    expect(JSON.stringify(dump)).not.toContain('203.0.113');
    // A digest without a key could be found by trying all addresses.
    const guessed = createHash('sha256').update('203.0.113.77').digest('hex');
    expect(JSON.stringify(dump)).toMatch(/x[0-9a-f]{64}/);
    expect(JSON.stringify(dump)).not.toContain(guessed);
  });
});
