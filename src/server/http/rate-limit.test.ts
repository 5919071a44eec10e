import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import { parseTrustedProxies } from './client-address.ts';
import { createRateLimit, networkOf } from './rate-limit.ts';

let elapsed = 0;
let told: unknown[] = [];
const log: Log = { info() {}, error() {}, warn: (_event, fields) => told.push(fields?.reason) };

function limitOf(perSecond: number, proxies = '') {
  const trustedProxies = parseTrustedProxies(proxies) ?? undefined;
  const limit = createRateLimit({ perSecond, trustedProxies, elapsed: () => elapsed, log });
  /** Whether a request over a socket from an address is refused. */
  const isOver = (remoteAddress: string | undefined, forwarded?: string, localAddress = '192.0.2.1') =>
    limit.isOver({
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress, localAddress } as Socket,
    });
  /** How many of some requests at once are let through. */
  const through = (count: number, ...from: Parameters<typeof isOver>) =>
    Array.from({ length: count }, () => isOver(...from)).filter((over) => !over).length;
  return { isOver, through };
}

beforeEach(() => {
  [elapsed, told] = [0, []];
});

describe('the rate of a client', () => {
  it('is ten seconds of it at once, then as much as passes [T6]', () => {
    const { through } = limitOf(100);
    expect(through(1_500, '203.0.113.9')).toBe(1_000);
    elapsed += 50;
    expect(through(100, '203.0.113.9')).toBe(5);
    elapsed += 1_000;
    expect(through(1_500, '203.0.113.9')).toBe(100);
    elapsed += 3_600_000;
    expect(through(1_500, '203.0.113.9')).toBe(1_000);
  });

  it('is kept by whoever asks no faster, for good', () => {
    const { isOver } = limitOf(2);
    const refused = Array.from({ length: 1_000 }, () => {
      elapsed += 500;
      return isOver('203.0.113.9');
    });
    expect(refused).not.toContain(true);
  });

  it('takes nothing from another, and counts all of an IPv6 connection as one', () => {
    const { through } = limitOf(1);
    expect(through(20, '203.0.113.9')).toBe(10);
    expect(through(20, '203.0.113.8')).toBe(10);
    expect(through(5, '2001:db8:0:1::1')).toBe(5);
    expect(through(20, '2001:db8:0:1:ffff::2')).toBe(5);
    expect(through(20, '2001:db8:0:2::1')).toBe(10);
    expect(through(20, '::ffff:203.0.113.9')).toBe(0);
  });

  it('is that of whom a proxy asks for, and nobody gets another by what he sends along', () => {
    const { through } = limitOf(1, '10.0.0.0/8');
    expect(through(20, '127.0.0.1', '203.0.113.9')).toBe(10);
    expect(through(20, '10.1.1.1', '198.51.100.1, 203.0.113.9')).toBe(0);
    expect(through(20, '10.1.1.1', '203.0.113.8')).toBe(10);
    expect(through(5, '203.0.113.7', '198.51.100.1')).toBe(5);
    expect(through(20, '203.0.113.7', '198.51.100.2')).toBe(5);
    expect(through(20, '10.1.1.1', `${'x'.repeat(500)}, 203.0.113.6`)).toBe(10);
    expect(through(20, '10.1.1.1', `${'y'.repeat(500)}, 203.0.113.6`)).toBe(0);
  });

  it('holds for nobody on this machine whom no proxy speaks for, nor where nobody knows who asks', () => {
    const { through } = limitOf(1);
    expect(through(50, '127.0.0.1')).toBe(50);
    expect(through(50, '::1')).toBe(50);
    expect(through(50, '192.0.2.1')).toBe(50);
    expect(through(50, '127.0.0.1', 'unknown')).toBe(50);
    expect(through(50, '192.0.2.1', '127.0.0.1')).toBe(50);
    expect(through(50, undefined)).toBe(50);
    expect(through(50, '192.0.2.1', '203.0.113.9')).toBe(10);
  });

  it('is told of without an address, and how a proxy is named that stands for all of its visitors', () => {
    const { through } = limitOf(1, '10.0.0.0/8');
    through(11, '203.0.113.9');
    through(11, '10.1.1.1', '203.0.113.8');
    through(11, '203.0.113.7', '198.51.100.1');
    expect(told).toEqual([
      expect.stringMatching(/^One client asks/),
      expect.stringMatching(/^One client asks/),
      expect.stringMatching(/^A proxy asks .* name it in TRUSTED_PROXIES/),
    ]);
  });

  it('is remembered of who comes again, however many others come once, in bounded memory', () => {
    const { isOver, through } = limitOf(1);
    expect(through(20, '203.0.113.9')).toBe(10);
    expect(through(20, '203.0.113.8')).toBe(10);
    for (let at = 0; at < 25_000; at += 1) {
      isOver(`2001:db8:${(at >> 8).toString(16)}:${(at & 255).toString(16)}::1`);
      if (at % 5_000 === 0) expect(isOver('203.0.113.9')).toBe(true);
    }
    // Who stayed away meanwhile is forgotten.
    expect(through(20, '203.0.113.8')).toBe(10);
  });
});

it('of a header as long as may be no more is kept than the address in it', () => {
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
  // The headers were 45 MB.
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
