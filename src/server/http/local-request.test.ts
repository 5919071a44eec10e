import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isLocalHostName, isLocalRequest } from './local-request.ts';

const asked = (remoteAddress: string | undefined, localAddress?: string, headers: IncomingHttpHeaders = {}) =>
  isLocalRequest({ headers, httpVersion: '1.1', socket: { remoteAddress, localAddress } as Socket });

describe('who asks from this machine', () => {
  it('is known by loopback and by the address the server listens on', () => {
    expect(asked('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(asked('::1', '::1')).toBe(true);
    expect(asked('::ffff:127.0.0.1', '::ffff:127.0.0.1')).toBe(true);
    expect(asked('192.0.2.7', '192.0.2.7')).toBe(true);
  });

  it('is nobody else', () => {
    expect(asked('192.0.2.8', '192.0.2.7')).toBe(false);
    expect(asked('1127.0.0.1', '192.0.2.7')).toBe(false);
    expect(asked(undefined)).toBe(false);
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
  ])('is no proxy that sends %s [T19]', (name) => {
    expect(asked('127.0.0.1', '127.0.0.1', { [name]: '203.0.113.1' })).toBe(false);
    expect(asked('192.0.2.7', '192.0.2.7', { [name]: '' })).toBe(false);
  });

  it('is no proxy that was told nothing, as which nginx speaks HTTP/1.0', () => {
    const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' } as Socket;
    expect(isLocalRequest({ headers: {}, httpVersion: '1.0', socket })).toBe(false);
  });
});

describe('the name a request calls the server by', () => {
  const named = (host: string | undefined, localAddress = '127.0.0.1') =>
    isLocalHostName({ headers: host === undefined ? {} : { host }, socket: { localAddress } as Socket });

  it.each(['localhost', 'localhost:4321', 'LOCALHOST', '127.0.0.1:4321', '127.8.8.8', '[::1]:4321'])(
    'means this machine: %s',
    (host) => {
      expect(named(host)).toBe(true);
    },
  );

  it('means it where it is the address listened on', () => {
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
  ])('is of another: %s', (host) => {
    expect(named(host)).toBe(false);
  });
});
