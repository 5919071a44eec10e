import { expect, test } from 'vitest';
import { readBackend } from './backend.ts';

const base = 'http://127.0.0.1:4321/';
const built = { url: 'https://project.example', anonKey: 'built' };

test('prefers the backend in the page to that of the build [R14]', () => {
  const injected = JSON.stringify({ supabaseUrl: 'https://own.example/', anonKey: 'key' });
  expect(readBackend(injected, built, base)).toEqual({ supabaseUrl: 'https://own.example', anonKey: 'key' });
  expect(readBackend(null, built, base)).toEqual({
    supabaseUrl: 'https://project.example',
    anonKey: 'built',
  });
});

test('resolves an empty or relative address against the page’s', () => {
  for (const [supabaseUrl, expected] of [
    ['', 'http://127.0.0.1:4321'],
    ['/', 'http://127.0.0.1:4321'],
    ['/api', 'http://127.0.0.1:4321/api'],
  ]) {
    const injected = JSON.stringify({ supabaseUrl, anonKey: 'key' });
    expect(readBackend(injected, {}, base)?.supabaseUrl).toBe(expected);
  }
});

test('replaces a loopback address by the one the visitor used', () => {
  const injected = JSON.stringify({ supabaseUrl: 'http://127.0.0.1:4321', anonKey: 'key' });
  for (const [came, expected] of [
    ['http://127.0.0.1:4321/', 'http://127.0.0.1:4321'],
    ['http://localhost:4321/', 'http://localhost:4321'],
    ['https://market.example/', 'https://market.example'],
    ['https://market.example/barometer/', 'https://market.example/barometer'],
  ] as const) {
    expect(readBackend(injected, {}, came)?.supabaseUrl).toBe(expected);
  }
});

test('has no backend without a complete, valid configuration', () => {
  expect(readBackend(null, {}, base)).toBeNull();
  expect(readBackend(null, { url: 'https://a.example' }, base)).toBeNull();
  expect(readBackend('{', {}, base)).toBeNull();
  expect(readBackend('{"anonKey":" "}', {}, base)).toBeNull();
  expect(readBackend('{"anonKey":"k","supabaseUrl":"http://["}', {}, base)).toBeNull();
});
