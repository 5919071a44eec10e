import { describe, expect, it } from 'vitest';
import { firstValue, readParameters, valuesOf } from './query-string.ts';
import { Refusal } from './refusal.ts';

describe('readParameters', () => {
  it('ends a parameter at an ampersand or a semicolon, and tells none from an empty value', () => {
    expect(readParameters('a=1;b=2&c&d=')).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', null],
      ['d', ''],
    ]);
    expect(readParameters('')).toEqual([]);
    expect(readParameters('&a=1&')).toEqual([
      ['', null],
      ['a', '1'],
    ]);
  });

  it('decodes UTF-8, a plus as a space, and leaves a percent sign that encodes nothing', () => {
    expect(readParameters('n=eq.%C3%BC+%2B%zz%&%6e==')).toEqual([
      ['n', 'eq.ü +%zz%'],
      ['n', '='],
    ]);
  });

  it('refuses what is no text, and more than anybody asks for', () => {
    for (const query of ['a=%ff', 'a=%c0%af', 'a=%ed%a0%80', '%00=1', 'a=\u00e9', 'a&'.repeat(41)]) {
      expect(() => readParameters(query), query).toThrow(Refusal);
    }
  });
});

it('a parameter without a value is none, also where it is the first of its name', () => {
  const parameters = readParameters('a&a=1&a=2');
  expect(firstValue(parameters, 'a')).toBeUndefined();
  expect(valuesOf(parameters, 'a')).toEqual(['1', '2']);
});
