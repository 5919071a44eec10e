import { describe, expect, it } from 'vitest';
import { freePort } from '#tests/support/free-port.ts';
import { loopbackOfTheseTests } from '#tests/support/servers-of-tests.ts';
import { isPublicAddress, type PostOptions, postWebhook } from './send-webhooks.ts';

const server = loopbackOfTheseTests();
const portOfServer = () => new URL(server.url).port;

const LOOPBACK = { address: '127.0.0.1', family: 4 };
const post = (url: string, options: Partial<PostOptions> = {}) =>
  postWebhook(
    { url: new URL(url), headers: {}, body: '{}' },
    { allowsPrivate: true, signal: new AbortController().signal, ...options },
  );

it('returns the status of the response and follows no redirect', async () => {
  for (const status of [500, 302]) {
    server.handler = (_, response) => void response.writeHead(status, { Location: '/other' }).end('no');
    expect(await post(server.url)).toEqual({ status, failure: null });
  }
  expect(server.asked).toEqual(['/', '/']);
});

it('fails after the timeout if the server does not respond', async () => {
  server.handler = () => undefined;
  expect(await post(server.url, { timeoutMs: 50 })).toEqual({
    status: null,
    failure: 'it did not respond in time',
  });
});

it('fails after the timeout if the host is not resolved', async () => {
  const resolve = () => new Promise<never>(() => undefined);
  expect(await post('https://hooks.example/', { timeoutMs: 20, resolve })).toMatchObject({
    failure: 'it did not respond in time',
  });
});

it('describes a failed connection without the URL', async () => {
  expect(await post(`http://127.0.0.1:${await freePort()}/token`)).toEqual({
    status: null,
    failure: 'the connection failed (ECONNREFUSED)',
  });
});

it('fails when the process ends', async () => {
  const stop = new AbortController();
  server.handler = () => stop.abort();
  expect(await post(server.url, { signal: stop.signal })).toMatchObject({
    failure: 'the process ended',
  });
});

describe('a private address', () => {
  const REFUSED = {
    status: null,
    failure: 'its address is private; set ALERT_ALLOW_PRIVATE=true if you trust it',
  };

  it.each(['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '[::ffff:7f00:1]', 'localhost'])(
    'is refused as %s',
    async (host) => {
      expect(await post(`http://${host}:${portOfServer()}/`, { allowsPrivate: false })).toEqual(REFUSED);
      expect(server.asked).toEqual([]);
    },
  );

  it('is refused if the host also has a public address', async () => {
    const resolve = async () => [{ address: '93.184.215.14', family: 4 }, LOOPBACK];
    expect(await post('https://hooks.example/', { allowsPrivate: false, resolve })).toEqual(REFUSED);
  });

  it('is not reached by a second look-up after the check', async () => {
    let host = '';
    server.handler = ({ headers }, response) => {
      host = headers.host ?? '';
      response.writeHead(204).end();
    };
    const lookups: string[] = [];
    const resolve = async (name: string) => {
      lookups.push(name);
      // A second look-up would return an address at which no server listens.
      return [lookups.length === 1 ? LOOPBACK : { address: '127.0.0.2', family: 4 }];
    };
    const named = `hooks.example:${portOfServer()}`;
    expect(await post(`http://${named}/`, { resolve })).toEqual({ status: 204, failure: null });
    expect([lookups, host]).toEqual([['hooks.example'], named]);
  });
});

it.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1'],
  ...[
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.19.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['::', '::1', 'fc00::1', 'fd12::1', 'fe80::1', 'fe80::1%eth0', 'ff02::1', '64:ff9b::7f00:1', '100::1'],
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '2001::1', '2001:db8::1', '2002:7f00:1::1', 'example.org', ''],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each([
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.0.1',
  '192.167.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
