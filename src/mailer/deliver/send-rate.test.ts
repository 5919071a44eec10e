import { expect, it } from 'vitest';
import { createSendRate } from './smtp.ts';

it('spaces mails evenly without a burst after a pause', async () => {
  const time = { now: 0 };
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const rate = createSendRate(4, { now: () => time.now, wait });
  await Promise.all([rate.turn(), rate.turn(), rate.turn()]);
  expect(waits).toEqual([250, 500]);
  time.now = 10_000;
  await Promise.all([rate.turn(), rate.turn()]);
  expect(waits).toEqual([250, 500, 250]);
});
