import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { hasPostgrest, startPostgrest } from '#tests/support/postgrest.ts';
import { shared } from '#tests/support/shared.ts';
import { asOwnerOf, flood, insertAs, MOST, TOO_MANY } from '#tests/support/subscribing.ts';

const ONE = '203.0.113.1';
const ANOTHER = '203.0.113.2';
const FLOOD = 200;

describe('subscribing over a Postgres whose locale only has ASCII letters', () => {
  const server = shared(startPostgres);
  const address = () => server.url.replace(/postgres$/, 'market');
  const database = shared(async () => {
    await server.run("create database market template template0 encoding 'UTF8' locale 'C'");
    return openPostgres({ url: address(), migrationsFolder: MIGRATIONS });
  });
  // A separate pool, as in another process.
  const other = shared(() => openPostgres({ url: address() }));
  const gates = [database, other].map((each) => shared(() => serveGate(each, LONG_WAIT)));
  const owner = asOwnerOf(database);
  beforeEach(async () => {
    await owner.forgetAll();
    await owner.stopAt(14);
  });
  const urlOf = (at: number) => gates[at]?.url ?? '';

  it.each([
    '\u3000wide-space@example.com',
    'next\u0085line@example.com',
    'tag\u{e0041}@example.com',
    'a@b.co\r\nBcc: x@y.z',
  ])('refuses %j', async (email) => {
    const { status, text } = await insertAs(ONE, urlOf(0), { email });
    expect([status, JSON.parse(text).code]).toEqual([400, '23514']);
    expect(await owner.emails()).toEqual([]);
  });

  it('counts simultaneous inserts over all processes', async () => {
    expect(await flood(ONE, [urlOf(0), urlOf(1)], FLOOD)).toEqual({ 201: MOST, 429: FLOOD - MOST });
    expect(await owner.emails()).toHaveLength(MOST);
    for (const { url } of gates) {
      expect((await insertAs(ONE, url, { email: 'ann@example.com' })).status).toBe(429);
    }
    expect((await insertAs(ANOTHER, urlOf(1), { email: 'ann@example.com' })).status).toBe(201);
  });

  it('refuses immediately, without waiting for another transaction that counts', async () => {
    for (let at = 0; at < MOST; at += 1)
      expect((await insertAs(ONE, urlOf(0), { email: `m${at}@example.com` })).status).toBe(201);
    await other.transaction(async (transaction) => {
      // Makes the test fail instead of hang if the insert waits for this transaction.
      await transaction.query("set local idle_in_transaction_session_timeout = '60s'");
      await transaction.query('select from mailer.subscription_counts for update');
      expect((await insertAs(ONE, urlOf(0), { email: 'one-more@example.com' })).status).toBe(429);
    });
  });

  it('counts clients of a hosted PostgREST in the same way', async (context) => {
    if (!hasPostgrest()) return context.skip('PostgREST is not available on this machine');
    const postgrest = await startPostgrest(address());
    onTestFinished(() => postgrest.stop());
    /** An insert through PostgREST behind a proxy that names the client. */
    const hosted = async (email: string, headers: OutgoingHttpHeaders) => {
      const asked = request(`${postgrest.url}/email_subscribers`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      asked.end(JSON.stringify({ email, is_active: true }));
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: response.statusCode, text: await text(response) };
    };
    const ways = [
      { 'X-Forwarded-For': `192.0.2.1, ${ONE}` },
      { 'X-Forwarded-For': ['192.0.2.2', ONE] },
      { 'X-Forwarded-For': '192.0.2.3', 'CF-Connecting-IP': ONE },
      { 'X-Forwarded-For': `::ffff:${ONE}`, 'CF-Connecting-IP': 'nonsense' },
      { 'X-Forwarded-For': ONE, Prefer: 'timezone=Asia/Kolkata' },
    ];
    for (let at = 0; at < MOST; at += 1) {
      const email = `m${at}@example.com`;
      const headers = ways[at % (ways.length + 1)];
      const { status } = headers ? await hosted(email, headers) : await insertAs(ONE, urlOf(0), { email });
      expect(status).toBe(201);
    }
    expect(await owner.run('select added from mailer.subscription_counts')).toEqual([{ added: MOST }]);
    for (const headers of ways) {
      const refused = await hosted('last@example.com', headers);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([429, TOO_MANY]);
    }
    expect((await insertAs(ONE, urlOf(0), { email: 'last@example.com' })).status).toBe(429);
    expect((await hosted('last@example.com', { 'X-Forwarded-For': ANOTHER })).status).toBe(201);
  });
});
