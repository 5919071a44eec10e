import { expect, test } from 'vitest';
import { browserStore } from './browser-store.ts';
import { keptRead } from './kept-read.ts';

const parse = (value: unknown) =>
  Array.isArray(value) ? value.filter((row) => typeof row === 'string') : [];

/** A minimal browser storage. */
function fakeStorage(): Storage {
  const entries = new Map<string, string>();
  const storage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
  return storage as unknown as Storage;
}

function listOf(answers: (readonly string[] | Error)[], storage = fakeStorage()) {
  let reads = 0;
  const list = keptRead({
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
