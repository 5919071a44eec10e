import { expect, test } from 'vitest';
import { browserStore, readWithFallback } from './browser-store.ts';

const BACKEND = 'https://market.example';

function fakeStorage(): Storage {
  const entries = new Map<string, string>();
  const storage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
  };
  return storage as unknown as Storage;
}

function open(storage = fakeStorage(), backend = BACKEND) {
  return { storage, store: browserStore(() => storage, backend) };
}

test('reads a stored record with its time', () => {
  const { store } = open();
  store.write('rows', { at: 1000, value: { vix: 17 } });
  expect(store.read('rows', 5000)).toEqual({ at: 1000, value: { vix: 17 } });
  expect(store.read('closes', 5000)).toBeNull();
});

test('ignores a record of another backend or with a time in the future', () => {
  const { storage, store } = open();
  store.write('rows', { at: 100_000, value: 1 });
  expect(open(storage, 'https://other.example').store.read('rows', 100_000)).toBeNull();
  expect(store.read('rows', 39_999)).toBeNull();
  expect(store.read('rows', 40_000)?.value).toBe(1);
});

test('ignores invalid data', () => {
  const { storage, store } = open();
  store.write('rows', { at: 1, value: 1 });
  for (const text of ['', '{', 'null', '[]', '7', '{}', `{"backend":"${BACKEND}","at":"1"}`]) {
    storage.setItem('barometer-data:rows', text);
    expect(store.read('rows', 5000), text).toBeNull();
  }
});

test('stores nothing, without an error, if storage is full or forbidden', () => {
  const full = fakeStorage();
  full.setItem = () => {
    throw new DOMException('Full.', 'QuotaExceededError');
  };
  open(full).store.write('rows', { at: 1, value: 1 });
  expect(open(full).store.read('rows', 5000)).toBeNull();
  const forbidden = browserStore(() => {
    throw new DOMException('No.', 'SecurityError');
  }, BACKEND);
  forbidden.write('rows', { at: 1, value: 1 });
  expect(forbidden.read('rows', 5000)).toBeNull();
});

const parse = (value: unknown) =>
  Array.isArray(value) ? value.filter((row) => typeof row === 'string') : [];

function listOf(answers: (readonly string[] | Error)[], storage = fakeStorage()) {
  let reads = 0;
  const list = readWithFallback({
    store: browserStore(() => storage, 'https://backend.example'),
    name: 'letters',
    now: () => 1_000,
    read: async () => {
      const answer = answers[reads];
      reads += 1;
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('Nothing more');
      return answer;
    },
    parse,
  });
  return { list, storage, reads: () => reads };
}

test('reads a list once for all concurrent and later calls', async () => {
  const { list, reads } = listOf([['a']]);
  expect(await Promise.all([list.load(), list.load()])).toEqual([['a'], ['a']]);
  expect(await list.load()).toEqual(['a']);
  expect(reads()).toBe(1);
});

test('retries a failed read', async () => {
  const { list } = listOf([new Error('No answer'), ['a'], ['b']]);
  await expect(list.load()).rejects.toThrow('No answer');
  expect(await list.load()).toEqual(['a']);
  list.forget();
  expect(await list.load()).toEqual(['b']);
});

test('uses data that another request has read', async () => {
  const { list, reads } = listOf([['a']]);
  await list.load();
  list.put(['b']);
  expect(await list.load()).toEqual(['b']);
  expect(reads()).toBe(1);
});

test('returns stored data of an earlier visit if a read fails', async () => {
  const earlier = listOf([['a']]);
  await earlier.list.load();
  const later = listOf([new Error('No answer'), ['b']], earlier.storage);
  expect(await later.list.load()).toEqual(['a']);
  expect(await later.list.load()).toEqual(['b']);
});
