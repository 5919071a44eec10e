import { beforeEach, expect, it } from 'vitest';
import { DatabaseError } from '#database/port.ts';
import { LONGEST_REPORT, type ProcessedReport } from '#mailer/reports/process-report.ts';
import { type Asked, sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { listen } from '../http/listen.ts';
import { createLog } from '../log.ts';
import { reportRoute } from './report-route.ts';
import { createApp } from './routes.ts';

const TOKEN = 'a-token-of-the-mail-server';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'message/rfc822' };

let elapsed = 0;
let taken: string[] = [];
let result: ProcessedReport | Error = { kind: 'hard bounce', result: 'deactivated' };
const lines: string[] = [];

function startServer() {
  const log = createLog({ write: (line) => lines.push(line), clock: () => 0, format: 'plain' });
  const route = reportRoute({
    ...{ token: TOKEN, log },
    elapsed: () => elapsed,
    handle: async (raw) => {
      taken.push(Buffer.from(raw).toString());
      if (result instanceof Error) throw result;
      return result;
    },
  });
  return listen(createApp({ routes: [route], productName: 'Barometer', log }), '127.0.0.1', 0);
}
const server = shared(startServer);
beforeEach(() => {
  elapsed += 60_000;
  taken = [];
  result = { kind: 'hard bounce', result: 'deactivated' };
});

const post = (asked: Partial<Asked> = {}) =>
  sendRequest(server.url, '/mail/reports', {
    method: 'POST',
    headers: AUTHORIZED,
    body: 'From: a\n\nb',
    ...asked,
  });

it('takes a raw mail and responds with its kind and result', async () => {
  const { status, body, headers } = await post();
  expect([status, body.toString(), taken]).toEqual([200, 'hard bounce: deactivated\n', ['From: a\n\nb']]);
  expect(headers['cache-control']).toBe('no-store');
});

it.each([
  ['no token', { 'content-type': 'message/rfc822' }],
  ['a wrong token', { ...AUTHORIZED, authorization: `Bearer ${TOKEN}x` }],
  ['another scheme', { ...AUTHORIZED, authorization: `Basic ${TOKEN}` }],
])('refuses a request with %s before it reads the body [T25]', async (_, headers) => {
  const { status, headers: sent } = await post({ headers });
  expect([status, sent['www-authenticate'], taken]).toEqual([401, 'Bearer', []]);
});

it('refuses other methods, other types and long bodies', async () => {
  expect((await post({ method: 'GET' })).status).toBe(405);
  const form = { ...AUTHORIZED, 'content-type': 'application/x-www-form-urlencoded' };
  expect((await post({ headers: form })).status).toBe(415);
  expect((await post({ body: 'x'.repeat(LONGEST_REPORT + 1) })).status).toBe(413);
  expect(taken).toEqual([]);
  expect((await post({ body: 'x'.repeat(LONGEST_REPORT) })).status).toBe(200);
});

it('accepts 200 reports at once, then 20 per second', async () => {
  const statuses: number[] = [];
  for (let at = 0; at < 201; at += 1) statuses.push((await post()).status);
  expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([200, 429]);
  elapsed += 100;
  expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([200, 200, 429]);
});

it('responds 503 while the database is unavailable', async () => {
  result = new DatabaseError({ message: 'reader@example.com', code: '08006' });
  const { status, headers, body } = await post();
  expect([status, headers['retry-after']]).toEqual([503, '60']);
  expect(lines.join('') + body.toString()).not.toContain('@');
  expect(lines.at(-1)).toContain('mail report failed code=08006');
});
