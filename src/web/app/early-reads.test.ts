import { expect, test } from 'vitest';
import { beginReads, takeOver } from './early-reads.ts';

const URL = 'https://backend.example/rest/v1/market_metrics?select=source';

/** A fake network that records its requests. */
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

test('sends an early read with the key and its own headers', () => {
  const { fetch, asked } = network();
  begin(fetch);
  expect(asked.map(({ url, headers }) => [url, headers.get('apikey'), headers.get('prefer')])).toEqual([
    [URL, 'a key', 'count=exact'],
  ]);
});

test('sends a cross-origin read with the key in the address, without a preflight', async () => {
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

test('uses its response once, then reads again', async () => {
  const early = network(async () => new Response('early'));
  const later = network(async () => new Response('later'));
  const fetch = takeOver(begin(early.fetch), later.fetch);
  expect(await (await fetch(URL, { method: 'GET' })).text()).toBe('early');
  expect(later.asked).toEqual([]);
  expect(await (await fetch(URL, { method: 'GET' })).text()).toBe('later');
  expect(early.asked).toHaveLength(1);
});

test('sends requests with another address or method normally', async () => {
  const { fetch, asked } = network();
  const taking = takeOver(begin(network().fetch), fetch);
  await taking(`${URL}&limit=1`);
  await taking(URL, { method: 'POST' });
  expect(asked.map(({ url }) => url)).toEqual([`${URL}&limit=1`, URL]);
});

test('repeats a read without a response, but not a read with an error response', async () => {
  const failing = network(() => Promise.reject(new TypeError('Failed to fetch')));
  const { fetch, asked } = network();
  await takeOver(begin(failing.fetch), fetch)(URL);
  expect(asked).toHaveLength(1);
  const busy = network(async () => new Response('Busy', { status: 503 }));
  expect((await takeOver(begin(busy.fetch), fetch)(URL)).status).toBe(503);
  expect(asked).toHaveLength(1);
});

test('retries a read that was refused, as by a backend without keys in addresses', async () => {
  for (const status of [400, 401]) {
    const refusing = network(async () => new Response('{}', { status }));
    const { fetch, asked } = network(async () => new Response('rows'));
    expect(await (await takeOver(begin(refusing.fetch), fetch)(URL)).text()).toBe('rows');
    expect(asked).toHaveLength(1);
  }
});

test('sends all requests normally without early reads', async () => {
  const { fetch, asked } = network();
  await takeOver(undefined, fetch)(URL);
  expect(asked).toHaveLength(1);
});
