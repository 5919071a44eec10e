import { expect, test } from 'vitest';
import { besideNow, withinScale } from './needle-words.ts';

test('words are at their needle, within the scale', () => {
  expect([0, 3, 4, 62, 96, 100].map(withinScale)).toEqual([4, 4, 4, 62, 96, 96]);
});

test('the words of a year ago are beside those of now, on their needle’s side', () => {
  expect(besideNow(38, 62)).toBe(38);
  expect(besideNow(60, 62)).toBe(52.5);
  expect(besideNow(62, 62)).toBe(71.5);
  expect(besideNow(70, 62)).toBe(71.5);
  expect(besideNow(72, 62)).toBe(72);
});

test('words at an end of the scale use the free side', () => {
  expect(besideNow(0, 3)).toBe(13.5);
  expect(besideNow(100, 97)).toBe(86.5);
});
