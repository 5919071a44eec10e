import { expect, it } from 'vitest';
import type { VerdictChange } from '../render/render-verdict-change.ts';
import { changeMessage } from './verdict-changes.ts';
import { signatureOf, webhookRequest } from './webhook-message.ts';

const NOW = Date.parse('2026-11-20T21:30:05.900Z');
const CHANGE: VerdictChange = {
  id: 3,
  session: '2026-11-20',
  at: Date.parse('2026-11-20T21:30:00Z'),
  from: 'HOLD',
  to: 'BUY',
  score: 62.34,
  source: 'live',
  formulaVersion: '2',
};
const FRAME = { productName: 'Baro & <meter>', publicUrl: 'https://barometer.example' };
const TEXT =
  'Baro & <meter>: the verdict changed from HOLD to BUY (62.3 of 100, close of Fri 20 Nov 2026). It describes the market and does not forecast it. https://barometer.example';

const requestOf = (
  kind: Parameters<typeof webhookRequest>[0]['kind'],
  url = 'https://hooks.example/path?x=1',
) =>
  webhookRequest({ kind, url }, changeMessage(CHANGE, FRAME), { signingKey: Buffer.alloc(32, 7), now: NOW });

it('signs like the reference implementation of Standard Webhooks', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
  };
  expect(signatureOf(key, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

it('posts the change with an id and a signature to a generic webhook', () => {
  const { url, headers, body } = requestOf('generic');
  expect(url.href).toBe('https://hooks.example/path?x=1');
  expect(JSON.parse(body)).toEqual({
    type: 'verdict.changed',
    timestamp: '2026-11-20T21:30:00.000Z',
    data: {
      ...{ id: 3, session: '2026-11-20', from: 'HOLD', to: 'BUY', score: 62.34, source: 'live' },
      ...{ formula_version: '2', url: 'https://barometer.example' },
    },
  });
  const id = 'verdict-change-3-2026-11-20';
  const timestamp = String(Date.parse('2026-11-20T21:30:05Z') / 1000);
  expect(headers).toMatchObject({ 'webhook-id': id, 'webhook-timestamp': timestamp });
  expect(headers['webhook-signature']).toBe(signatureOf(Buffer.alloc(32, 7), { id, timestamp, body }));
});

it.each([
  ['slack', { text: TEXT.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;') }],
  ['discord', { content: TEXT, allowed_mentions: { parse: [] } }],
] as const)('formats the text for %s, without a signature', (kind, expected) => {
  const { headers, body } = requestOf(kind);
  expect(JSON.parse(body)).toEqual(expected);
  expect(headers).not.toHaveProperty('webhook-signature');
});

it('posts plain text to ntfy', () => {
  const { headers, body } = requestOf('ntfy');
  expect([headers['Content-Type'], body]).toEqual(['text/plain; charset=utf-8', TEXT]);
});

it('moves the chat of Telegram from the URL into the body', () => {
  const { url, body } = requestOf(
    'telegram',
    'https://api.telegram.example/botTOKEN/sendMessage?chat_id=-42',
  );
  expect(url.href).toBe('https://api.telegram.example/botTOKEN/sendMessage');
  expect(JSON.parse(body)).toEqual({ chat_id: '-42', text: TEXT });
});
