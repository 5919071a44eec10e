import { expect, it } from 'vitest';
import { nextTry } from './deliveries.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

it('doubles the wait between attempts up to two hours', () => {
  const waits: number[] = [];
  let now = 0;
  let giveUpAt = 2 * DAY;
  for (let tries = 1; ; tries += 1) {
    const next = nextTry({ tries, now, giveUpAt });
    if (next === null) break;
    waits.push((next.dueAt - now) / MINUTE);
    ({ dueAt: now, giveUpAt } = next);
    expect(giveUpAt).toBe(DAY);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, ...Array(10).fill(120), 108]);
  expect(now).toBe(DAY - 5 * MINUTE);
});

it('retries for one day after the first failure, also after a late first attempt', () => {
  expect(nextTry({ tries: 1, now: 5 * DAY, giveUpAt: 5 * DAY + 1 })).toEqual({
    dueAt: 5 * DAY + MINUTE,
    giveUpAt: 6 * DAY,
  });
});
