import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isLocalHostName, isLocalRequest } from './local-request.ts';

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
