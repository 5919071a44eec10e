import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Log } from '../log.ts';
import { startSchedule } from './schedule.ts';

const EVERY_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a schedule. Each run ends when the test calls its function in `ends`. */
function start() {
  const written: string[] = [];
  const log: Log = {
    info: () => {},
    warn: () => {},
    error: (event, fields) => written.push(`${event} ${fields?.job}: ${fields?.reason}`),
  };
  const ends: ((error?: Error) => void)[] = [];
  const run = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  const schedule = startSchedule({ name: 'collect', everyMs: EVERY_MS, run }, log);
  return { schedule, written, ends, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

it('runs the job at the start and at each interval', async () => {
  const { ends, pass } = start();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await pass(EVERY_MS - 1);
  expect(ends).toHaveLength(1);
  await pass(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await pass(EVERY_MS);
  expect(ends).toHaveLength(3);
});

it('starts no run during the previous one', async () => {
  const { ends, pass } = start();
  await pass(3 * EVERY_MS);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await pass(EVERY_MS);
  expect(ends).toHaveLength(2);
});

it('runs once more after a run during which it was woken', async () => {
  const { schedule, ends, pass } = start();
  schedule.wake();
  schedule.wake();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await pass(0);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await pass(0);
  expect(ends).toHaveLength(2);
  schedule.wake();
  expect(ends).toHaveLength(3);
});

it('logs a failed run in one line and runs again', async () => {
  const { ends, pass, written } = start();
  ends[0]?.(new Error('The source is away.'));
  await pass(EVERY_MS);
  expect(ends).toHaveLength(2);
  expect(written).toEqual(['job failed collect: The source is away.']);
});

it('stops the schedule after the current run', async () => {
  const { schedule, ends, pass } = start();
  let isStopped = false;
  const stopped = schedule.stop().then(() => {
    isStopped = true;
  });
  await pass(3 * EVERY_MS);
  expect([ends.length, isStopped]).toEqual([1, false]);
  ends[0]?.();
  await stopped;
  await pass(EVERY_MS);
  expect(ends).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
