import { expect, test } from 'vitest';
import { readConfiguration } from './configuration.ts';

const DEFAULTS = { widgetSymbols: null, ownWidgets: false, doubleOptIn: false, ageNote: '' };

test('prefers the settings in the page to those of the build [R14]', () => {
  const injected = JSON.stringify({ anonKey: 'key', productName: 'Weather Glass' });
  expect(readConfiguration(injected, {})).toEqual({ ...DEFAULTS, productName: 'Weather Glass' });
  expect(readConfiguration(null, {})).toEqual({ ...DEFAULTS, productName: 'Barometer' });
});

test('takes the symbols of the widgets from the page, otherwise from the build', () => {
  const symbolsOf = (injected: string | null, widgetSymbols?: unknown) =>
    readConfiguration(injected, { widgetSymbols }).widgetSymbols;
  expect(symbolsOf('{"widgetSymbols":"AMEX:SPY"}', 'NASDAQ:QQQ')).toBe('AMEX:SPY');
  expect(symbolsOf('{"widgetSymbols":null}', 'NASDAQ:QQQ')).toBe('NASDAQ:QQQ');
  expect(symbolsOf('{"widgetSymbols":7}')).toBeNull();
  expect(symbolsOf(null)).toBeNull();
});

test('takes the kind of the widgets from the page, otherwise from the build', () => {
  const isOwn = (injected: string | null, widgets?: unknown) =>
    readConfiguration(injected, { widgets }).ownWidgets;
  expect([isOwn('{"widgets":"own"}'), isOwn(null, ' own ')]).toEqual([true, true]);
  expect([isOwn('{}', 'own'), isOwn(null)]).toEqual([false, false]);
});

test('takes the need of confirmation from the server, otherwise from the build', () => {
  const asks = (injected: string | null, doubleOptIn?: unknown) =>
    readConfiguration(injected, { doubleOptIn }).doubleOptIn;
  expect(asks('{"anonKey":"k","doubleOptIn":true}')).toBe(true);
  expect(asks('{"anonKey":"k","doubleOptIn":"true"}')).toBe(false);
  expect(asks('{"anonKey":"k"}', 'true')).toBe(false);
  expect([asks(null, ' true '), asks(null, 'false'), asks(null)]).toEqual([true, false, false]);
});

test('takes the note about the age of the data from the server', () => {
  expect(readConfiguration('{"ageNote":"Published one session later"}', {}).ageNote).toBe(
    'Published one session later',
  );
});
