import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdmission } from './admission.ts';

const LIMITS = { atOnce: 2, waiting: 3, waitMs: 5_000 };
const OVERLOADED = { status: 503, code: 'PGRST003', response: { headers: { 'Retry-After': '5' } } };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns work that ends when the test calls `end`, and `begun`, the names of the started work in order. */
function setUp() {
  const admit = createAdmission(LIMITS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (name: string) =>
    admit(() => {
      begun.push(name);
      return new Promise<string>((resolve) => {
        ends.set(name, () => resolve(name));
      });
    });
  return { enter, begun, end: (name: string) => ends.get(name)?.(), admit };
}

describe('admission', () => {
  it('runs two calls at the same time and further calls in their order', async () => {
    const { enter, begun, end } = setUp();
    const all = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'b']);
    for (const name of ['b', 'a', 'c', 'd']) {
      end(name);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('passes the rest of the time to the work', async () => {
    const { enter, end, admit } = setUp();
    const left: number[] = [];
    const keep = async (leftMs: number) => left.push(leftMs);
    await admit(keep);
    void enter('a');
    void enter('b');
    void admit(keep);
    await vi.advanceTimersByTimeAsync(3_000);
    end('a');
    await vi.advanceTimersByTimeAsync(0);
    expect(left).toEqual([LIMITS.waitMs, LIMITS.waitMs - 3_000]);
  });

  it('refuses a call at once if the queue is full [T4]', async () => {
    const { enter, begun } = setUp();
    for (const name of ['a', 'b', 'c', 'd', 'e']) void enter(name);
    await expect(enter('f')).rejects.toMatchObject(OVERLOADED);
    expect(begun).toEqual(['a', 'b']);
  });

  it('refuses a call that waited for five seconds', async () => {
    const { enter, begun, end } = setUp();
    void enter('a');
    void enter('b');
    const late = expect(enter('late')).rejects.toMatchObject(OVERLOADED);
    await vi.advanceTimersByTimeAsync(LIMITS.waitMs);
    await late;
    void enter('c');
    end('a');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs the next call after a failed call', async () => {
    const { admit } = setUp();
    const failing = () => admit(() => Promise.reject(new Error('failed')));
    for (let at = 0; at < 10; at += 1) await expect(failing()).rejects.toThrow('failed');
    expect(await admit(async () => 'done')).toBe('done');
  });
});
