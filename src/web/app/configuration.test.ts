import { expect, test } from 'vitest';
import { readConfiguration } from './configuration.ts';

const base = 'http://127.0.0.1:4321/';
const built = { url: 'https://project.example', anonKey: 'built' };

test('prefers the configuration in the page to that of the build [R14]', () => {
  const injected = JSON.stringify({
    supabaseUrl: 'https://own.example/',
    anonKey: 'key',
    productName: 'Weather Glass',
  });
  expect(readConfiguration(injected, built, base)).toEqual({
    backend: { supabaseUrl: 'https://own.example', anonKey: 'key' },
    productName: 'Weather Glass',
    widgetSymbols: null,
    asksToConfirm: false,
  });
});

test('resolves an empty or relative address against the page’s', () => {
  for (const [supabaseUrl, expected] of [
    ['', 'http://127.0.0.1:4321'],
    ['/', 'http://127.0.0.1:4321'],
    ['/api', 'http://127.0.0.1:4321/api'],
  ]) {
    const injected = JSON.stringify({ supabaseUrl, anonKey: 'key' });
    expect(readConfiguration(injected, {}, base).backend?.supabaseUrl).toBe(expected);
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
    expect(readConfiguration(injected, {}, came).backend?.supabaseUrl).toBe(expected);
  }
});

test('uses the build if the page has none [R14]', () => {
  expect(readConfiguration(null, built, base)).toEqual({
    backend: { supabaseUrl: 'https://project.example', anonKey: 'built' },
    productName: 'Barometer',
    widgetSymbols: null,
    asksToConfirm: false,
  });
});

test('has no backend without a complete, valid configuration', () => {
  expect(readConfiguration(null, {}, base).backend).toBeNull();
  expect(readConfiguration(null, { url: 'https://a.example' }, base).backend).toBeNull();
  expect(readConfiguration('{', {}, base).backend).toBeNull();
  expect(readConfiguration('{"anonKey":" "}', {}, base).backend).toBeNull();
  expect(readConfiguration('{"anonKey":"k","supabaseUrl":"http://["}', {}, base).backend).toBeNull();
});

test('takes the symbols of the widgets from the page, else from the build', () => {
  const symbolsOf = (injected: string | null, widgetSymbols?: unknown) =>
    readConfiguration(injected, { ...built, widgetSymbols }, base).widgetSymbols;
  expect(symbolsOf('{"widgetSymbols":"AMEX:SPY"}', 'NASDAQ:QQQ')).toBe('AMEX:SPY');
  expect(symbolsOf('{"widgetSymbols":null}', 'NASDAQ:QQQ')).toBe('NASDAQ:QQQ');
  expect(symbolsOf('{"widgetSymbols":7}')).toBeNull();
  expect(symbolsOf(null)).toBeNull();
});

test('takes the need of confirmation from the server, else from the build', () => {
  const asks = (injected: string | null, asksToConfirm?: unknown) =>
    readConfiguration(injected, { ...built, asksToConfirm }, base).asksToConfirm;
  expect(asks('{"anonKey":"k","asksToConfirm":true}')).toBe(true);
  expect(asks('{"anonKey":"k","asksToConfirm":"true"}')).toBe(false);
  expect(asks('{"anonKey":"k"}', 'true')).toBe(false);
  expect([asks(null, ' true '), asks(null, 'false'), asks(null)]).toEqual([true, false, false]);
});
