import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { ask, askTables, rowsOf, type Target } from './target.ts';

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const MEGABYTE = 1024 * 1024;

/** Checks that one client cannot use more than its share of the server. */
export function oversizedAndSlow(target: () => Target): void {
  const path = () => `${new URL(target().restUrl).pathname}/email_subscribers`;
  const key = () => ['apikey', target().anonKey] as const;

  describe('oversized bodies', () => {
    it('bodies over the limit are refused, and their connection is closed', async () => {
      const row = (length: number) =>
        JSON.stringify({ email: `${'x'.repeat(length)}@example.org`, is_active: true });
      const barely = await askTables(target(), '/email_subscribers', {
        method: 'POST',
        headers: [JSON_TYPE],
        body: row(4_096),
      });
      expect(barely.status).toBe(413);
      const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
      const endless = [path(), '/unsubscribe/x', '/confirm/x'].map((where) => {
        const chunked = rawRequest('POST', where, [key(), ['Transfer-Encoding', 'chunked']]);
        return chunked + chunk.repeat(64);
      });
      const declared = [path(), '/unsubscribe/x'].map((where) =>
        rawRequest('POST', where, [key(), JSON_TYPE], 'x'.repeat(4 * MEGABYTE)),
      );
      const ended = await onEach([...endless, ...declared], async (bytes) => {
        const { answers, isEnded } = await exchange(target().restUrl, bytes);
        // The list may be empty, because a client that is still sending may not receive the refusal.
        return isEnded && answers.every(({ status }) => status === 413);
      });
      expect(ended).toEqual(ended.map(() => true));
    });

    it('a compressed body is not decompressed', async () => {
      for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip']) {
        const headers = [JSON_TYPE, ['Content-Encoding', encoding] as const];
        const asked = { method: 'POST', headers, body: '\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03' };
        expect((await askTables(target(), '/email_subscribers', asked)).status).toBe(400);
      }
    });

    it('a body of a type that another site can send without a preflight is refused', async () => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/csv',
        'application/json-patch+json',
      ];
      const body = 'email=form@example.org&is_active=true';
      const given = await onEach(types, async (type) => {
        const headers = [
          ['Content-Type', type],
          ['Origin', 'https://evil.example'],
        ] as const;
        return [
          type,
          (await askTables(target(), '/email_subscribers', { method: 'POST', headers, body })).status,
        ];
      });
      expect(given.filter(([, status]) => Number(status) < 400 || Number(status) >= 500)).toEqual([]);
    });
  });

  describe('slow requests', () => {
    const SLOW = 300;

    const open = (bytes: string) =>
      new Promise<Socket>((resolve, reject) => {
        const { hostname, port } = new URL(target().restUrl);
        const socket = connect({ host: hostname, port: Number(port) }, () =>
          socket.write(bytes, () => resolve(socket)),
        );
        socket.once('error', reject);
      });

    it('hundreds of endless requests do not delay others [T7]', async () => {
      const begun = [
        `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `,
        `POST ${path()} HTTP/1.1\r\nHost: 127.0.0.1\r\n${key().join(': ')}\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{`,
        `POST /unsubscribe/x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab`,
        'G',
        '',
      ];
      const sockets = await Promise.all(
        Array.from({ length: SLOW }, (_, at) => open(begun[at % begun.length] ?? '')),
      );
      try {
        const email = 'meanwhile@example.org';
        target().subscribed.add(email);
        const asked = {
          method: 'POST',
          headers: [JSON_TYPE, ['X-Forwarded-For', '203.0.113.77'] as const],
          body: JSON.stringify({ email, is_active: true }),
        };
        const [page, read, insert] = await Promise.all([
          ask(target(), target().pageUrl, '/'),
          askTables(target(), '/market_metrics?limit=1'),
          askTables(target(), '/email_subscribers', asked),
        ]);
        expect([page.status, rowsOf(read)?.length, insert.status]).toEqual([200, 1, 201]);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
    });

    it('a client that reads no responses does not use much memory', async () => {
      const metrics = async () => {
        const { body } = await ask(target(), target().pageUrl, '/metrics');
        return Number(/^process_resident_memory_bytes (\S+)$/m.exec(body.toString())?.[1]);
      };
      const before = await metrics();
      const widest = rawRequest(
        'GET',
        `${path().replace('email_subscribers', 'fear_greed_index')}?select=*`,
        [key()],
      );
      const unread = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = await open(`${rawRequest('GET', '/')}${widest}`.repeat(45));
          socket.pause();
          return socket;
        }),
      );
      try {
        expect((await ask(target(), target().pageUrl, '/')).status).toBe(200);
        // The responses that the client does not read have 250 MB in total.
        expect(((await metrics()) - before) / MEGABYTE).toBeLessThan(200);
      } finally {
        for (const socket of unread) socket.destroy();
      }
    });
  });
}
