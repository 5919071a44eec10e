import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { exchange, rawRequest } from '#tests/support/raw-http.ts';
import { shared } from '#tests/support/shared.ts';
import { asOwnerOf } from '#tests/support/subscribing.ts';

const SYMBOLS = 40;

interface Answer {
  status: number;
  body: string;
}

/** The bytes of one request. */
const wire = (method: string, path: string, body?: string, client = '203.0.113.99') =>
  rawRequest(
    method,
    `/rest/v1${path}`,
    [
      ['apikey', KEY],
      ['X-Forwarded-For', client],
      ['Content-Type', 'application/json'],
    ],
    body,
  );

const read = (path: string) => wire('GET', path);
const insert = (email: string, isActive = true, client?: string) =>
  wire('POST', '/email_subscribers', JSON.stringify({ email, is_active: isActive }), client);

/** Sends all requests over one socket, in segments of this size. Returns the responses in order of arrival. */
async function pipeline(url: string, requests: readonly string[], segment = 65_536): Promise<Answer[]> {
  const { answers } = await exchange(url, requests.join(''), { answers: requests.length, segment });
  expect(answers).toHaveLength(requests.length);
  return answers.map(({ status, body }) => ({ status, body: body.toString() }));
}

describe('pipelined requests', () => {
  const { database, run } = databaseOfTheseTests();
  const server = shared(() => serveGate(database, LONG_WAIT));
  const { forgetAll, stopAt } = asOwnerOf(database);
  const subscribers = async () =>
    (await run('select email from email_subscribers order by email')).map(({ email }) => email);

  beforeAll(async () => {
    await run(`insert into market_indices (symbol, name, price, created_at)
      select 'S' || i, 'Index ' || i, i, '2026-11-13T21:00:00Z' from generate_series(1, ${SYMBOLS}) as i`);
  });

  beforeEach(async () => {
    await forgetAll();
    await stopAt(14);
  });

  it.each([65_536, 97])(
    'get responses in order, each from its own transaction and role, in segments of %i bytes [T8]',
    async (segment) => {
      // Two inserts of one connection run at the same time, so a duplicate needs an earlier row.
      await pipeline(server.url, [insert('known@example.org')]);
      const requests = [
        insert('first@example.org'),
        read('/email_subscribers'),
        read('/market_indices?select=symbol&symbol=eq.S7'),
        insert('known@example.org'),
        insert('inactive@example.org', false),
        read('/market_indices?select=symbol&symbol=eq.S8'),
        insert('second@example.org'),
        read('/nope'),
      ];
      const answers = await pipeline(server.url, requests, segment);
      expect(answers.map(({ status }) => status)).toEqual([201, 401, 200, 409, 401, 200, 201, 404]);
      expect(answers.map(({ body }) => (body === '' ? null : JSON.parse(body)))).toMatchObject([
        null,
        { code: '42501', message: 'permission denied for table email_subscribers' },
        [{ symbol: 'S7' }],
        { code: '23505' },
        { code: '42501' },
        [{ symbol: 'S8' }],
        null,
        { code: 'PGRST205' },
      ]);
      expect(await subscribers()).toEqual(['first@example.org', 'known@example.org', 'second@example.org']);
    },
  );

  it('commit or roll back independently of earlier requests', async () => {
    const answers = await pipeline(
      server.url,
      Array.from({ length: 30 }, (_, index) =>
        insert(index % 3 === 0 ? `good${index}@example.org` : 'no address'),
      ),
    );
    const expected = answers.map((_, index) => (index % 3 === 0 ? 201 : 400));
    expect(answers.map(({ status }) => status)).toEqual(expected);
    expect(await subscribers()).toHaveLength(10);
  });

  it('keep the public role while the owner uses the same database', async () => {
    const ownReads = Array.from({ length: 20 }, () => run('select current_user::text as name'));
    const [answers, ...names] = await Promise.all([
      pipeline(
        server.url,
        Array.from({ length: 20 }, () => read('/email_subscribers?select=email')),
      ),
      ...ownReads,
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(names.flat().some(({ name }) => name === 'anon')).toBe(false);
  });

  it('get their own response over many connections at once', async () => {
    const sockets = Array.from({ length: 16 }, (_, socket) =>
      Array.from({ length: 20 }, (_, index) => ({
        socket,
        index,
        symbol: `S${((socket * 7 + index) % SYMBOLS) + 1}`,
      })),
    );
    const answered = await Promise.all(
      sockets.map((requests) =>
        pipeline(
          server.url,
          requests.map(({ socket, index, symbol }) =>
            index % 4 === 0
              ? insert(`s${socket}-${index}@example.org`, true, `203.0.113.${socket}`)
              : index % 4 === 1
                ? read('/email_subscribers?select=email')
                : read(`/market_indices?select=symbol&symbol=eq.${symbol}`),
          ),
        ),
      ),
    );
    for (const [socket, answers] of answered.entries()) {
      for (const [index, { status, body }] of answers.entries()) {
        const symbol = sockets[socket]?.[index]?.symbol;
        if (index % 4 === 0) expect([status, body]).toEqual([201, '']);
        else if (index % 4 === 1) expect([status, JSON.parse(body).code]).toEqual([401, '42501']);
        else expect([status, JSON.parse(body)]).toEqual([200, [{ symbol }]]);
      }
    }
    expect(await subscribers()).toHaveLength(16 * 5);
    // Each insert is counted for its client.
    const counts = await run('select added from mailer.subscription_counts');
    expect(counts).toEqual(sockets.map(() => ({ added: 5 })));
  });

  it('insert no uncounted row if the connection is reset immediately', async () => {
    const resetAfterWrite = (index: number) =>
      new Promise((resolve) => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
          socket.write(insert(`reset${index}@example.org`), () => socket.resetAndDestroy());
        });
        socket.on('error', () => undefined).on('close', resolve);
      });
    await Promise.all(Array.from({ length: 40 }, (_, index) => resetAfterWrite(index)));
    // The server handles this request after all other requests.
    expect((await pipeline(server.url, [insert('whole@example.org')]))[0]?.status).toBeLessThan(500);
    const [uncounted] = await run(`
      select (select count(*) from email_subscribers)
        - (select coalesce(sum(added), 0) from mailer.subscription_counts) as rows`);
    expect(uncounted).toEqual({ rows: 0 });
  });
});
