import { describe, expect, it } from 'vitest';
import { createProblems, printable, printableJson, shown } from './problems.ts';

it('the problems of a run are counted and shown separately as refusals and notes of one kind', () => {
  const problems = createProblems();
  for (let at = 1; at <= 21; at += 1) problems.note('provider', `note ${at}`);
  problems.refuse('provider', { provider: 'Yahoo', item: 'AAPL' }, 'too old');
  expect(problems.refusals()).toEqual([{ kind: 'provider', count: 1, first: ['Yahoo, AAPL: too old'] }]);
  expect(problems.notes()).toEqual([
    { kind: 'provider', count: 21, first: Array.from({ length: 20 }, (_, at) => `note ${at + 1}`) },
  ]);
  expect(problems.refused).toBe(1);
});

describe('a quoted value', () => {
  it.each([
    ['a NUL byte', 'A\0B', 'A?B'],
    ['an escape sequence', '\u001b[2JA', '?[2JA'],
    ['a line break', 'A\r\nB', 'A??B'],
    ['text that turns the text around it', '\u202eA', '?A'],
    ['half of a character', '\ud83d', '?'],
    ['a letter that is not ASCII', 'Zürich', 'Z?rich'],
    ['a number', 1.5, '1.5'],
    ['null', null, 'an object'],
    ['an object', { a: 1 }, 'an object'],
  ])('has printable ASCII only for %s', (_, value, text) => {
    expect(shown(value)).toBe(text);
  });

  it('is cut to its maximum length, even within a character', () => {
    expect(shown('x'.repeat(100_000))).toBe('x'.repeat(24));
    expect(shown('\u{1f600}'.repeat(20), 7)).toBe('?'.repeat(7));
  });
});

describe('printable text', () => {
  it.each([
    ['a folder with letters of any language', '/home/Jürgen/市場 😀', '/home/Jürgen/市場 😀'],
    ['control characters', 'a\0b\u001b[2Jc\u009bd\ne', 'a?b?[2Jc?d?e'],
    ['separators and marks that are not seen', 'a\u2028b\u2029c\u202ed\u200be', 'a?b?c?d?e'],
    ['halves of a character', 'a\ud83db\ude00c', 'a?b?c'],
  ])('has no invisible characters for %s', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('has its invisible characters replaced in all strings of JSON', () => {
    const value = [{ first: ['a\0b'], count: 2, of: null }, 'c\ud83d'];
    expect(JSON.parse(printableJson(value))).toEqual([{ first: ['a?b'], count: 2, of: null }, 'c?']);
  });
});
