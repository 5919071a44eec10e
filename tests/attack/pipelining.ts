import { describe, expect, it } from 'vitest';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { askInTurn, hadNoTurn, leaksOf, rowsOf, type Target } from './target.ts';

/**
 * Checks that responses match their requests, in any segmentation, and that a client that reads none does not delay
 * others.
 */
export function pipelinedRequests(target: () => Target): void {
  describe('pipelined requests', () => {
    const prefix = () => new URL(target().restUrl).pathname;
    const read = (path: string) => rawRequest('GET', prefix() + path, [['apikey', target().anonKey]]);
    const insert = (row: unknown, client: string) =>
      rawRequest(
        'POST',
        `${prefix()}/email_subscribers`,
        [
          ['apikey', target().anonKey],
          ['Content-Type', 'application/json'],
          ['X-Forwarded-For', client],
        ],
        JSON.stringify(row),
      );

    /** Requests of all kinds, each with the expected status and body. */
    async function mixed(client: string) {
      const sectors = rowsOf(await askInTurn(target(), '/sector_strength?select=id,sector&limit=12')) ?? [];
      expect(sectors).toHaveLength(12);
      return sectors.flatMap((row, at) => {
        const { id } = row as { id: number };
        const email = `pipe-${client}-${at}@example.org`;
        target().subscribed.add(email);
        return [
          {
            request: read(`/sector_strength?select=id,sector&id=eq.${id}`),
            status: 200,
            body: JSON.stringify([row]),
          },
          { request: insert({ email, is_active: true }, client), status: 201, body: '' },
          { request: read('/email_subscribers?select=email'), status: 401, body: null },
          { request: insert({ email: 'no address', is_active: true }, client), status: 400, body: null },
          { request: read(`/market_metrics?select=id&id=eq.-${id}`), status: 200, body: '[]' },
        ];
      });
    }

    async function expectOwnResponses(client: string, segment?: number): Promise<void> {
      let asked = await mixed(client);
      while (asked.length > 0) {
        const bytes = asked.map(({ request }) => request).join('');
        const { answers } = await exchange(target().restUrl, bytes, {
          answers: asked.length,
          ...(segment !== undefined && { segment }),
        });
        const isLeft = answers.map(hadNoTurn);
        const expected = asked.map(({ status }, at) => (isLeft[at] ? 503 : status));
        expect(answers.map(({ status }) => status)).toEqual(expected);
        for (const [at, answer] of answers.entries()) {
          const { body = null } = asked[at] ?? {};
          if (body !== null && !isLeft[at]) expect(answer.body.toString()).toBe(body);
          expect(leaksOf(target(), answer)).toEqual([]);
        }
        asked = asked.filter((_, at) => isLeft[at]);
      }
    }

    it('get a response each, with sixty reads and inserts in one segment', () =>
      expectOwnResponses('203.0.113.21'));

    it('get a response each if they arrive in parts', () => expectOwnResponses('203.0.113.22', 97));

    it('get a response each on several connections at once', async () => {
      await Promise.all(
        [31, 32, 33, 34].map((last) => expectOwnResponses(`203.0.113.${last}`, 1_000 + last)),
      );
    });

    it('get no response after a request that closes the connection', async () => {
      // The first request is for /healthz, whose response begins at once. If it had not begun, Node would respond 400
      // to the second request.
      const closing = rawRequest('GET', '/healthz', [['Connection', 'close']]);
      const after = insert({ email: 'after@example.org', is_active: true }, '203.0.113.23');
      const { answers, isEnded } = await exchange(target().restUrl, closing + after);
      expect([answers.map(({ status }) => status), isEnded]).toEqual([[200], true]);
    });

    it('lose their connection after thousands of unread responses', async () => {
      const flood = rawRequest('GET', '/healthz').repeat(5_000);
      const floods = [1, 2, 3].map(() => exchange(target().restUrl, flood));
      expect(rowsOf(await askInTurn(target(), '/market_metrics?limit=1'))).toHaveLength(1);
      for (const { answers, isEnded } of await Promise.all(floods)) {
        expect([answers.length < 5_000, isEnded]).toEqual([true, true]);
      }
    });
  });
}
