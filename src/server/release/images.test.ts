import { beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../page/card/card.ts';
import { createImages } from './images.ts';

const cardOf = (text: string): Card => ({ node: { type: 'text', text }, css: '', drawings: {} });

let failure: Error | null;
let time: number;
let draws: number;
let logged: unknown[];
let imageOf: ReturnType<typeof createImages>;

beforeEach(() => {
  failure = null;
  time = 0;
  draws = 0;
  logged = [];
  const keep = (...line: unknown[]) => logged.push(line);
  imageOf = createImages({
    draw: async ({ node }) => {
      draws += 1;
      if (failure !== null) throw failure;
      return Buffer.from(JSON.stringify(node));
    },
    now: () => time,
    log: { info: keep, warn: keep, error: keep },
  });
});

describe('the image of a release', () => {
  it('is drawn at its first request, once for all requests', async () => {
    const image = imageOf(cardOf('HOLD'));
    expect(draws).toBe(0);
    const all = await Promise.all(Array.from({ length: 500 }, image));
    expect([new Set(all).size, draws]).toEqual([1, 1]);
    expect(all[0]?.content.toString()).toContain('HOLD');
    expect(all[0]).toMatchObject({
      headers: { 'Content-Type': 'image/png', 'Cache-Control': 'public, max-age=300' },
    });
  });

  it('is drawn again only for a card that differs', async () => {
    const first = await imageOf(cardOf('HOLD'))();
    expect(await imageOf(cardOf('HOLD'))()).toBe(first);
    const second = await imageOf(cardOf('BUY'))();
    expect(second.content.toString()).toContain('BUY');
    expect(second.tag).not.toBe(first.tag);
    expect(draws).toBe(2);
  });

  it('is drawn again five seconds after a failure, not at every request, also when the clock was set back', async () => {
    time = 3_600_000;
    failure = new Error('no memory');
    const image = imageOf(cardOf('SELL'));
    await expect(image()).rejects.toThrow('no memory');
    time += 4_999;
    await expect(image()).rejects.toThrow('no memory');
    expect(draws).toBe(1);
    expect(logged).toEqual([['picture failed', { reason: 'no memory' }]]);
    failure = null;
    time = 0;
    expect((await image()).content.toString()).toContain('SELL');
  });
});
