import { beforeEach, describe, expect, it } from 'vitest';
import type { Card } from './card.ts';
import { latestCard } from './latest-card.ts';

const cardOf = (text: string): Card => ({ node: { type: 'text', text }, css: '', drawings: {} });

let reading: string | Error;
let time: number;
let reads: number;
let draws: number;
let logged: unknown[];
let card: ReturnType<typeof latestCard>;

beforeEach(() => {
  reading = 'HOLD';
  time = 0;
  reads = 0;
  draws = 0;
  logged = [];
  const keep = (...line: unknown[]) => logged.push(line);
  card = latestCard({
    compose: async () => {
      reads += 1;
      if (reading instanceof Error) throw reading;
      return cardOf(reading);
    },
    draw: async ({ node }) => {
      draws += 1;
      return Buffer.from(JSON.stringify(node));
    },
    now: () => time,
    log: { info: keep, warn: keep, error: keep },
  });
});

describe('the picture of the current reading', () => {
  it('is read and drawn once, however many ask', async () => {
    const all = await Promise.all(Array.from({ length: 500 }, () => card()));
    expect(new Set(all).size).toBe(1);
    expect([reads, draws]).toEqual([1, 1]);
    expect(all[0]?.content.toString()).toContain('HOLD');
  });

  it('is looked at again after a minute and drawn again only when it changed', async () => {
    const first = await card();
    time = 59_999;
    reading = 'BUY';
    expect(await card()).toBe(first);
    time = 60_000;
    const second = await card();
    expect(second.content.toString()).toContain('BUY');
    expect(second.tag).not.toBe(first.tag);
    time = 120_000;
    expect(await card()).toBe(second);
    expect([reads, draws]).toEqual([3, 2]);
  });

  it('fails with the reading, and is tried again some seconds later, not at every request', async () => {
    reading = new Error('away');
    await expect(card()).rejects.toThrow('away');
    reading = 'SELL';
    time = 4_999;
    await expect(card()).rejects.toThrow('away');
    time = 5_000;
    expect((await card()).content.toString()).toContain('SELL');
    expect(reads).toBe(2);
    expect(logged).toEqual([['picture failed', { reason: 'away' }]]);
  });

  it('is looked at again when the clock was set back', async () => {
    time = 3_600_000;
    await card();
    time = 0;
    reading = 'BUY';
    expect((await card()).content.toString()).toContain('BUY');
  });
});
