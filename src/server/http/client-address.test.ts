import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientAddress, isLocalHostName, isLocalRequest, parseTrustedProxies } from './client-address.ts';

/** A request from `remoteAddress`, optionally with an X-Forwarded-For header. */
function requestFrom(remoteAddress: string | undefined, forwarded?: string) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as unknown as Parameters<typeof clientAddress>[0];
}
const addressOf = (remoteAddress: string | undefined, forwarded?: string, proxies = '') =>
  clientAddress(requestFrom(remoteAddress, forwarded), parseTrustedProxies(proxies) ?? undefined);

describe('clientAddress', () => {
  it('is the address of the socket if no trusted proxy forwards the request', () => {
    expect(addressOf('203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(addressOf('203.0.113.9', '198.51.100.1', '10.0.0.0/8')).toBe('203.0.113.9');
    expect(addressOf('2001:db8:0:0::9')).toBe('2001:db8::9');
    expect(clientAddress(requestFrom('203.0.113.9'))).toBe('203.0.113.9');
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'is the forwarded address if the socket is from %s',
    (proxy) => {
      expect(addressOf(proxy, '198.51.100.1')).toBe('198.51.100.1');
    },
  );

  it('is the last address that is not a trusted proxy, never one that the visitor sent', () => {
    const proxies = '10.0.0.0/8, 2001:db8:1::/48';
    expect(addressOf('10.1.1.1', '1.1.1.1, 198.51.100.1, 10.2.2.2', proxies)).toBe('198.51.100.1');
    expect(addressOf('2001:db8:1::5', '1.1.1.1,198.51.100.1,127.0.0.1', proxies)).toBe('198.51.100.1');
    expect(addressOf('::ffff:10.1.1.1', '198.51.100.1', proxies)).toBe('198.51.100.1');
    expect(addressOf('10.1.1.1', '10.3.3.3, 10.2.2.2', proxies)).toBe('10.3.3.3');
  });

  it.each(['', 'unknown', 'nonsense, ', '198.51.100.1, unknown', '_hidden', '1.2.3', '999.1.1.1', ','])(
    'is the last valid address before %j',
    (forwarded) => {
      expect(addressOf('127.0.0.1', forwarded)).toBe('127.0.0.1');
    },
  );

  it.each([
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:C633:6401', '198.51.100.1'],
    ['0:0:0:0:0:ffff:198.51.100.1', '198.51.100.1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['"198.51.100.1:4711"', '198.51.100.1'],
    ['[2001:DB8::7]:4711', '2001:db8::7'],
    ['"[2001:db8::7]"', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('reads %s as %s', (forwarded, address) => {
    expect(addressOf('127.0.0.1', forwarded)).toBe(address);
  });

  it('is null once the socket is closed', () => {
    expect(addressOf(undefined, '198.51.100.1')).toBeNull();
  });
});

describe('parseTrustedProxies', () => {
  it('parses addresses and networks that are separated by commas or spaces', () => {
    const list = parseTrustedProxies(' 10.0.0.0/8,192.0.2.7\t2001:db8::/32 ');
    expect(list?.check('10.200.0.1')).toBe(true);
    expect(list?.check('192.0.2.7')).toBe(true);
    expect(list?.check('192.0.2.8')).toBe(false);
    expect(list?.check('2001:db8:ffff::1', 'ipv6')).toBe(true);
    expect(parseTrustedProxies('')?.check('10.0.0.1')).toBe(false);
  });

  it.each([
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '2001:db8::/129',
    '10.0.0.1;10.0.0.2',
    '/8',
  ])('refuses %j', (text) => {
    expect(parseTrustedProxies(`10.0.0.1, ${text}`)).toBeNull();
  });
});

const isLocal = (
  remoteAddress: string | undefined,
  localAddress?: string,
  headers: IncomingHttpHeaders = {},
) => isLocalRequest({ headers, httpVersion: '1.1', socket: { remoteAddress, localAddress } as Socket });

describe('a request from this machine', () => {
  it('comes over loopback or from the address of the server', () => {
    expect(isLocal('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(isLocal('::1', '::1')).toBe(true);
    expect(isLocal('::ffff:127.0.0.1', '::ffff:127.0.0.1')).toBe(true);
    expect(isLocal('192.0.2.7', '192.0.2.7')).toBe(true);
  });

  it('comes from no other address', () => {
    expect(isLocal('192.0.2.8', '192.0.2.7')).toBe(false);
    expect(isLocal('1127.0.0.1', '192.0.2.7')).toBe(false);
    expect(isLocal(undefined)).toBe(false);
  });

  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
  ])('has no header %s of a proxy [T19]', (name) => {
    expect(isLocal('127.0.0.1', '127.0.0.1', { [name]: '203.0.113.1' })).toBe(false);
    expect(isLocal('192.0.2.7', '192.0.2.7', { [name]: '' })).toBe(false);
  });

  it('does not use HTTP/1.0, which nginx uses by default', () => {
    const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' } as Socket;
    expect(isLocalRequest({ headers: {}, httpVersion: '1.0', socket })).toBe(false);
  });
});

describe('the Host header of a request', () => {
  const named = (host: string | undefined, localAddress = '127.0.0.1') =>
    isLocalHostName({ headers: host === undefined ? {} : { host }, socket: { localAddress } as Socket });

  it.each(['localhost', 'localhost:4321', 'LOCALHOST', '127.0.0.1:4321', '127.8.8.8', '[::1]:4321'])(
    'names this machine: %s',
    (host) => {
      expect(named(host)).toBe(true);
    },
  );

  it('can be the address of the server', () => {
    expect(named('192.0.2.7:4321', '192.0.2.7')).toBe(true);
    expect(named('[2001:db8::7]:4321', '2001:db8::7')).toBe(true);
  });

  it.each([
    'example.org',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '192.0.2.8',
    '',
    'a b',
    'me@elsewhere',
    undefined,
  ])('names another machine: %s', (host) => {
    expect(named(host)).toBe(false);
  });
});
