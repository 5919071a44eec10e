import { expect, test } from 'vitest';
import { DEFAULT_SYMBOLS, parseSymbols, symbolsFault } from './symbols.ts';

test('parses symbols with optional names', () => {
  expect(parseSymbols('FOREXCOM:SPXUSD|S&P 500, AMEX:SPY | S&P 500 ETF,NASDAQ:QQQ, CME_MINI:ES1!')).toEqual([
    { s: 'FOREXCOM:SPXUSD', d: 'S&P 500' },
    { s: 'AMEX:SPY', d: 'S&P 500 ETF' },
    { s: 'NASDAQ:QQQ', d: 'NASDAQ:QQQ' },
    { s: 'CME_MINI:ES1!', d: 'CME_MINI:ES1!' },
  ]);
});

test('parses the default symbols', () => {
  const text = DEFAULT_SYMBOLS.map(({ s, d }) => `${s}|${d}`).join(', ');
  expect(parseSymbols(text)).toEqual(DEFAULT_SYMBOLS);
});

test('refuses an invalid symbol, an invalid name and too many symbols', () => {
  for (const text of [
    '',
    'SPY',
    'AMEX:SPY,',
    'amex:spy',
    'AMEX:</script><script>alert(1)</script>',
    `AMEX:SPY|${'x'.repeat(41)}`,
    'AMEX:SPY|over\u202eride',
    'AMEX:SPY|two\nlines',
    Array.from({ length: 13 }, () => 'AMEX:SPY').join(','),
  ]) {
    expect(parseSymbols(text)).toBeNull();
  }
});

test('names an invalid setting with its required format', () => {
  expect(symbolsFault('WIDGET_SYMBOLS', 'AMEX:SPY')).toBeNull();
  expect(symbolsFault('WIDGET_SYMBOLS', 'SPY')).toBe(
    'WIDGET_SYMBOLS is "SPY"; it must be up to 12 symbols as EXCHANGE:SYMBOL|Name, separated by commas.',
  );
});
