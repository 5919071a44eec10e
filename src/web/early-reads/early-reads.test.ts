import { expect, test } from 'vitest';
import { beginReads, takeOver } from './early-reads.ts';

const URL = 'https://backend.example/rest/v1/market_metrics?select=source';

/** A network that notes what it is asked for. */
function network(answer: (url: string) => Promise<Response> = async (url) => new Response(url)) {
  const asked: { url: string; headers: Headers }[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    asked.push({ url: String(input), headers: new Headers(init?.headers) });
    return answer(String(input));
  };
  return { fetch, asked };
}

const begin = (fetch: typeof globalThis.fetch) =>
  beginReads(fetch, 'https://page.example/', 'a key', [{ url: URL, headers: { Prefer: 'count=exact' } }]);

test('an early read goes out with the key and its own headers', () => {
  const { fetch, asked } = network();
  begin(fetch);
  expect(asked.map(({ url, headers }) => [url, headers.get('apikey'), headers.get('prefer')])).toEqual([
    [URL, 'a key', 'count=exact'],
  ]);
});

test('one of another origin has its key in its address, and no header that a browser would ask leave for', async () => {
  const { fetch, asked } = network(async () => new Response('early'));
  const later = network();
  const elsewhere = beginReads(fetch, 'https://page.example/', 'a+key', [{ url: URL }]);
  beginReads(fetch, 'https://backend.example/market/', 'a+key', [{ url: URL }]);
  expect(asked.map(({ url, headers }) => [url, [...headers]])).toEqual([
    [`${URL}&apikey=a%2Bkey`, []],
    [URL, [['apikey', 'a+key']]],
  ]);
  expect(await (await takeOver(elsewhere, later.fetch)(URL)).text()).toBe('early');
  expect(later.asked).toEqual([]);
});

test('uses its response once and reads anew after that', async () => {
  const early = network(async () => new Response('early'));
  const later = network(async () => new Response('later'));
  const fetch = takeOver(begin(early.fetch), later.fetch);
  expect(await (await fetch(URL, { method: 'GET' })).text()).toBe('early');
  expect(later.asked).toEqual([]);
  expect(await (await fetch(URL, { method: 'GET' })).text()).toBe('later');
  expect(early.asked).toHaveLength(1);
});

test('another address and another method are asked for as ever', async () => {
  const { fetch, asked } = network();
  const taking = takeOver(begin(network().fetch), fetch);
  await taking(`${URL}&limit=1`);
  await taking(URL, { method: 'POST' });
  expect(asked.map(({ url }) => url)).toEqual([`${URL}&limit=1`, URL]);
});

test('repeats a failed read, but not one with an error response', async () => {
  const failing = network(() => Promise.reject(new TypeError('Failed to fetch')));
  const { fetch, asked } = network();
  await takeOver(begin(failing.fetch), fetch)(URL);
  expect(asked).toHaveLength(1);
  const busy = network(async () => new Response('Busy', { status: 503 }));
  expect((await takeOver(begin(busy.fetch), fetch)(URL)).status).toBe(503);
  expect(asked).toHaveLength(1);
});

test('one that is refused, as by a backend that takes no key from an address, is asked for again', async () => {
  for (const status of [400, 401]) {
    const refusing = network(async () => new Response('{}', { status }));
    const { fetch, asked } = network(async () => new Response('rows'));
    expect(await (await takeOver(begin(refusing.fetch), fetch)(URL)).text()).toBe('rows');
    expect(asked).toHaveLength(1);
  }
});

test('a page that began nothing asks as ever', async () => {
  const { fetch, asked } = network();
  await takeOver(undefined, fetch)(URL);
  expect(asked).toHaveLength(1);
});
