import { expect, it } from 'vitest';
import { createDice } from '../tests/support/dice.ts';
import { mutated } from './mutations.ts';

it('limits a mutated request to 16,000 characters', () => {
  const request = 'GET /rest/v1/market_metrics?limit=1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const of = (seed: number) => {
    const dice = createDice(seed);
    return Array.from({ length: 2_000 }, () => mutated(request, dice));
  };
  const texts = of(1);
  expect(texts).toEqual(of(1));
  expect(texts.filter((text) => text !== request).length).toBeGreaterThan(1_900);
  expect(texts.some((text) => text.includes('limit=((((('))).toBe(true);
  expect(Math.max(...texts.map(({ length }) => length))).toBe(16_000);
});
