import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { isFromHere } from './operator-route.ts';

const asked = (remoteAddress: string | undefined, localAddress?: string, headers: IncomingHttpHeaders = {}) =>
  isFromHere({ headers, socket: { remoteAddress, localAddress } as Socket });

it('knows its own machine by loopback and by the address the server listens on', () => {
  expect(asked('127.0.0.1', '127.0.0.1')).toBe(true);
  expect(asked('::1', '::1')).toBe(true);
  expect(asked('::ffff:127.0.0.1', '::ffff:127.0.0.1')).toBe(true);
  expect(asked('192.0.2.7', '192.0.2.7')).toBe(true);
});

it('takes nobody else for it', () => {
  expect(asked('192.0.2.8', '192.0.2.7')).toBe(false);
  expect(asked('1127.0.0.1', '192.0.2.7')).toBe(false);
  expect(asked(undefined)).toBe(false);
  expect(asked('192.0.2.7', '192.0.2.7', { 'x-forwarded-for': '203.0.113.1' })).toBe(false);
  expect(asked('127.0.0.1', '127.0.0.1', { forwarded: 'for=203.0.113.1' })).toBe(false);
});
