import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueue, TooManyWaiting } from './queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);

/** Returns a queue, `begun`, the names of the started calls, and `enter`, whose call ends when the test calls `end`. */
function setUp(limits: Parameters<typeof createQueue>[0]) {
  const queue = createQueue(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string, client = 'a') =>
    queue(client, () => {
      begun.push(name);
      return new Promise<string>((resolve) => {
        ends.set(name, () => resolve(name));
      });
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { queue, begun, enter, end };
}

const fail = () => Promise.reject(new Error('gone'));

describe('a queue', () => {
  it('runs as many calls at the same time as allowed, and the others in their order', async () => {
    const { enter, begun, end } = setUp({ atOnce: 2, most: 5 });
    const all = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    await settled();
    expect(begun).toEqual(['a', 'b']);
    for (const name of ['b', 'a', 'c', 'd']) await end(name);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('runs one call at a time by default', async () => {
    const { enter, begun, end } = setUp({ most: 2 });
    const results = [enter('one'), enter('two')];
    await settled();
    expect(begun).toEqual(['one']);
    await end('one');
    await end('two');
    expect(await Promise.all(results)).toEqual(['one', 'two']);
  });

  it('runs the next call after a failed call', async () => {
    const { queue } = setUp({ most: 1 });
    for (let at = 0; at < 10; at += 1) await expect(queue('a', fail)).rejects.toThrow('gone');
    for (let at = 0; at < 10; at += 1) expect(await queue('a', async () => 'done')).toBe('done');
  });

  it('begins a call only after the pause that follows each call', async () => {
    const pauses: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    const { queue, enter, begun, end } = setUp({ most: 2, pause });
    await expect(queue('a', fail)).rejects.toThrow('gone');
    const result = enter('two');
    await settled();
    expect([begun, pauses.length]).toEqual([[], 1]);
    pauses[0]?.();
    await settled();
    await end('two');
    expect(await result).toBe('two');
  });

  it('begins with the calls of clients that had no turn yet', async () => {
    const { queue } = setUp({ most: 20 });
    const begun: string[] = [];
    const call = (name: string) => queue(name.slice(0, 1), async () => void begun.push(name));
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(call));
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('refuses a call at once while too many others wait or run [T4]', async () => {
    const { enter, begun, end } = setUp({ atOnce: 2, most: 5 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) void enter(name);
    await expect(enter('f')).rejects.toThrow(TooManyWaiting);
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    void enter('g');
    for (const name of ['b', 'c', 'd', 'e']) await end(name);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'g']);
  });

  it('refuses a client with too many calls, and not the others', async () => {
    const { queue, enter, end } = setUp({ most: 20, mostPerClient: 2 });
    const running = [enter('one'), queue('a', async () => 'two')];
    await expect(queue('a', async () => 'three')).rejects.toThrow(TooManyWaiting);
    const other = queue('b', async () => 'of b');
    await end('one');
    expect(await Promise.all([...running, other])).toEqual(['one', 'two', 'of b']);
    expect(await queue('a', async () => 'four')).toBe('four');
  });
});

describe('a queue with a time limit', () => {
  const LIMITS = { atOnce: 2, most: 3, waitMs: 5_000 };

  it('passes the rest of the time to the work', async () => {
    const { queue, enter, end } = setUp(LIMITS);
    const left: number[] = [];
    const keep = async (leftMs: number) => left.push(leftMs);
    await queue('a', keep);
    void enter('a');
    void enter('b');
    void queue('a', keep);
    await vi.advanceTimersByTimeAsync(3_000);
    await end('a');
    expect(left).toEqual([LIMITS.waitMs, LIMITS.waitMs - 3_000]);
  });

  it('keeps the turn of a client when one of its calls has waited too long', async () => {
    const { enter, begun, end } = setUp({ ...LIMITS, atOnce: 1, most: 4 });
    void enter('running');
    const late = expect(enter('late')).rejects.toThrow(TooManyWaiting);
    await vi.advanceTimersByTimeAsync(3_000);
    void enter('first', 'a');
    void enter('second', 'b');
    await vi.advanceTimersByTimeAsync(2_000);
    await late;
    await end('running');
    expect(begun).toEqual(['running', 'first']);
  });

  it('refuses a call that has waited too long, and keeps no timer', async () => {
    const { enter, begun, end } = setUp(LIMITS);
    void enter('a');
    void enter('b');
    const late = expect(enter('late')).rejects.toThrow(TooManyWaiting);
    await vi.advanceTimersByTimeAsync(LIMITS.waitMs);
    await late;
    void enter('c');
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
