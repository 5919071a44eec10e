import { describe, expect, it } from 'vitest';
import { readWithTime } from './data-time.ts';

const NOW = 1_000_000_000;

/** Responses by address with their headers, and the duration of each. */
function backend(responses: Record<string, { headers?: Record<string, string>; seconds?: number }[]>) {
  let time = NOW;
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { headers = {}, seconds = 0 } = responses[String(input)]?.shift() ?? {};
    asked.push(String(input));
    time += seconds * 1000;
    return new Response('[]', { headers });
  };
  const read = (...addresses: string[]) =>
    readWithTime(
      fetch,
      () => time,
      async (timed) => {
        for (const address of addresses) await timed(address);
        return { rows: asked.length };
      },
    );
  return { read, asked };
}

const stale = (age: number) => ({ headers: { age: String(age), 'cache-control': 'no-store' } });

describe('the time of data', () => {
  it('is that of the first request while every response is current', async () => {
    const { read } = backend({ a: [{ seconds: 12 }], b: [{ seconds: 1 }] });
    expect(await read('a', 'b')).toEqual({ rows: 2, at: NOW, isStale: false });
  });

  it('is that of the oldest response during a database outage', async () => {
    const { read, asked } = backend({ a: [stale(90)], b: [stale(264)], c: [stale(0)] });
    expect(await read('a', 'b', 'c')).toEqual({ rows: 3, at: NOW - 264_000, isStale: true });
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('counts a response as stale from its first second', async () => {
    const { read } = backend({ a: [stale(0)] });
    expect(await read('a')).toMatchObject({ at: NOW, isStale: true });
  });

  it('subtracts the age from a cache in between, without reporting an outage', async () => {
    const cached = { headers: { age: '45', 'cache-control': 'public, max-age=60' } };
    const { read, asked } = backend({ a: [cached], b: [{}] });
    expect(await read('a', 'b')).toMatchObject({ at: NOW - 45_000, isStale: false });
    expect(asked).toEqual(['a', 'b']);
  });

  it.each(['', '-5', '1.5', '9'.repeat(400), 'soon'])('takes no time from an age of "%s"', async (age) => {
    const { read } = backend({ a: [{ headers: { age, 'cache-control': 'no-store' } }] });
    expect(await read('a')).toMatchObject({ at: NOW, isStale: false });
  });
});

describe('responses of which some are stale', () => {
  it('are read again, so that old and new rows do not mix', async () => {
    const { read, asked } = backend({ a: [stale(600), {}], b: [{}, {}] });
    expect(await read('a', 'b')).toMatchObject({ at: NOW, isStale: false });
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
  });

  it('are reported as stale if the second read also has stale responses', async () => {
    const { read, asked } = backend({ a: [stale(600), stale(601)], b: [{}, {}] });
    expect(await read('a', 'b')).toMatchObject({ at: NOW - 601_000, isStale: true });
    expect(asked).toHaveLength(4);
  });
});
