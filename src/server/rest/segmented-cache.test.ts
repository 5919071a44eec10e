import { describe, expect, it } from 'vitest';
import { createSegmentedCache } from './segmented-cache.ts';

const BYTES = 16_000;
const SIZE = 100;

function setUp() {
  const removed: string[] = [];
  const cache = createSegmentedCache<string>({ bytes: BYTES, onRemoved: (key) => removed.push(key) });
  const put = (key: string, bytes = SIZE) => cache.set(key, key, bytes);
  return { cache, put, use: cache.use, removed };
}

describe('a segmented cache', () => {
  it('never holds more than its bytes, and tells of each value it lets go', () => {
    const { cache, put, removed } = setUp();
    for (let at = 0; at < 1_000; at += 1) {
      put(`${at}`, 50 + (at % 7) * 50);
      expect(cache.bytes).toBeLessThanOrEqual(BYTES);
    }
    expect(cache.size + removed.length).toBe(1_000);
    expect(removed[0]).toBe('0');
  });

  it('keeps what is used among any number of values that are not', () => {
    const { cache, put, use } = setUp();
    const wanted = ['a', 'b', 'c'];
    for (const key of wanted) put(key);
    for (const key of wanted) use(key);
    for (let at = 0; at < 10_000; at += 1) put(`junk ${at}`);
    expect(wanted.map(use)).toEqual(wanted);
    expect(cache.peek('junk 0')).toBeUndefined();
  });

  it('keeps what is used again and again among values that are used once more each', () => {
    const { put, use } = setUp();
    put('wanted');
    for (let at = 0; at < 10_000; at += 1) {
      put(`junk ${at}`);
      use(`junk ${at}`);
      if (at % 50 === 0) expect(use('wanted')).toBe('wanted');
    }
    expect(use('wanted')).toBe('wanted');
  });

  it('lets go what was wanted once nobody wants it any longer', () => {
    const { cache, put, use } = setUp();
    put('old');
    use('old');
    for (let at = 0; at < 1_000; at += 1) {
      put(`new ${at}`);
      use(`new ${at}`);
    }
    expect(cache.peek('old')).toBeUndefined();
  });

  it('counts a value that grows, and lets go one that is too large for all of them', () => {
    const { cache, put, removed } = setUp();
    put('a', 100);
    put('a', 900);
    expect([cache.bytes, cache.size, removed]).toEqual([900, 1, []]);
    put('b', BYTES / 16 + 1);
    expect(cache.peek('b')).toBeUndefined();
    put('a', BYTES / 16 + 1);
    expect([cache.bytes, cache.size, removed]).toEqual([0, 0, ['b', 'a']]);
  });
});
