import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import { networkOf, parseTrustedProxies } from './client-address.ts';
import { createRateLimit } from './rate-limit.ts';

let elapsed = 0;
let reasons: unknown[] = [];
const log: Log = { info() {}, error() {}, warn: (_event, fields) => reasons.push(fields?.reason) };

function limitOf(perSecond: number, proxies = '') {
  const trustedProxies = parseTrustedProxies(proxies) ?? undefined;
  const limit = createRateLimit({ perSecond, trustedProxies, elapsed: () => elapsed, log });
  const isOver = (remoteAddress: string | undefined, forwarded?: string, localAddress = '192.0.2.1') =>
    limit.isOver({
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress, localAddress } as Socket,
    });
  /** Sends `count` requests at the same time. Returns the number of allowed requests. */
  const allowed = (count: number, ...from: Parameters<typeof isOver>) =>
    Array.from({ length: count }, () => isOver(...from)).filter((over) => !over).length;
  return { isOver, allowed };
}

beforeEach(() => {
  [elapsed, reasons] = [0, []];
});

describe('the rate limit of a client', () => {
  it('allows ten seconds of requests at once, then the configured rate [T6]', () => {
    const { allowed } = limitOf(100);
    expect(allowed(1_500, '203.0.113.9')).toBe(1_000);
    elapsed += 50;
    expect(allowed(100, '203.0.113.9')).toBe(5);
    elapsed += 1_000;
    expect(allowed(1_500, '203.0.113.9')).toBe(100);
    elapsed += 3_600_000;
    expect(allowed(1_500, '203.0.113.9')).toBe(1_000);
  });

  it('never refuses a client within the rate', () => {
    const { isOver } = limitOf(2);
    const refused = Array.from({ length: 1_000 }, () => {
      elapsed += 500;
      return isOver('203.0.113.9');
    });
    expect(refused).not.toContain(true);
  });

  it('counts each IPv4 address and each IPv6 /64 separately', () => {
    const { allowed } = limitOf(1);
    expect(allowed(20, '203.0.113.9')).toBe(10);
    expect(allowed(20, '203.0.113.8')).toBe(10);
    expect(allowed(5, '2001:db8:0:1::1')).toBe(5);
    expect(allowed(20, '2001:db8:0:1:ffff::2')).toBe(5);
    expect(allowed(20, '2001:db8:0:2::1')).toBe(10);
    expect(allowed(20, '::ffff:203.0.113.9')).toBe(0);
  });

  it('counts the client that a trusted proxy names', () => {
    const { allowed } = limitOf(1, '10.0.0.0/8');
    expect(allowed(20, '127.0.0.1', '203.0.113.9')).toBe(10);
    expect(allowed(20, '10.1.1.1', '198.51.100.1, 203.0.113.9')).toBe(0);
    expect(allowed(20, '10.1.1.1', '203.0.113.8')).toBe(10);
    expect(allowed(5, '203.0.113.7', '198.51.100.1')).toBe(5);
    expect(allowed(20, '203.0.113.7', '198.51.100.2')).toBe(5);
    expect(allowed(20, '10.1.1.1', `${'x'.repeat(500)}, 203.0.113.6`)).toBe(10);
    expect(allowed(20, '10.1.1.1', `${'y'.repeat(500)}, 203.0.113.6`)).toBe(0);
  });

  it('does not apply to this machine, or to requests without a known client', () => {
    const { allowed } = limitOf(1);
    expect(allowed(50, '127.0.0.1')).toBe(50);
    expect(allowed(50, '::1')).toBe(50);
    expect(allowed(50, '192.0.2.1')).toBe(50);
    expect(allowed(50, '127.0.0.1', 'unknown')).toBe(50);
    expect(allowed(50, '192.0.2.1', '127.0.0.1')).toBe(50);
    expect(allowed(50, undefined)).toBe(50);
    expect(allowed(50, '192.0.2.1', '203.0.113.9')).toBe(10);
  });

  it('logs refusals without an address', () => {
    const { allowed } = limitOf(1, '10.0.0.0/8');
    allowed(11, '203.0.113.9');
    allowed(11, '10.1.1.1', '203.0.113.8');
    allowed(11, '203.0.113.7', '198.51.100.1');
    expect(reasons).toEqual([
      expect.stringMatching(/^A client sends/),
      expect.stringMatching(/^A client sends/),
      expect.stringMatching(/^A proxy sends .* Add it to TRUSTED_PROXIES/),
    ]);
  });

  it('remembers returning clients among many others in limited memory', () => {
    const { isOver, allowed } = limitOf(1);
    expect(allowed(20, '203.0.113.9')).toBe(10);
    expect(allowed(20, '203.0.113.8')).toBe(10);
    for (let at = 0; at < 25_000; at += 1) {
      isOver(`2001:db8:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::1`);
      if (at % 5_000 === 0) expect(isOver('203.0.113.9')).toBe(true);
    }
    // This client has sent no request between the others, so its bucket was removed and is full again.
    expect(allowed(20, '203.0.113.8')).toBe(10);
  });
});

it('keeps only the address of a long header in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const { isOver } = limitOf(1, '10.0.0.0/8');
  const before = held();
  for (let at = 0; at < 3_000; at += 1) {
    const padding = Buffer.alloc(15_000, 'x').toString();
    isOver('10.1.1.1', `${padding}, 203.113.${100 + Math.floor(at / 100)}.${100 + (at % 100)}`);
  }
  // The headers of all requests had 45 MB in total.
  expect((held() - before) / 1e6).toBeLessThan(10);
  expect(isOver('10.1.1.1', '203.113.100.100')).toBe(false);
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['::1:2:3:4:5', '0:0:0:1'],
  ['::', '0:0:0:0'],
  ['1::', '1:0:0:0'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
