import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { alignedTimer } from './aligned-timer.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T14:30:20Z');
let ticks: string[];
let timer: ReturnType<typeof alignedTimer>;

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  ticks = [];
  timer = alignedTimer(MINUTE, Date.now, () => ticks.push(new Date().toISOString().slice(11, 23)));
});
afterEach(() => {
  timer.stop();
  vi.useRealTimers();
});

it('ticks at the start of each interval, counted from the epoch', () => {
  vi.advanceTimersByTime(39_999);
  expect(ticks).toEqual([]);
  vi.advanceTimersByTime(1 + 2 * MINUTE);
  expect(ticks).toEqual(['14:31:00.000', '14:32:00.000', '14:33:00.000']);
});

it('ticks once after a pause of many intervals, then aligned again', () => {
  vi.setSystemTime('2026-11-20T14:50:10Z');
  vi.advanceTimersToNextTimer();
  expect(ticks).toEqual(['14:50:50.000']);
  vi.advanceTimersByTime(10_000);
  expect(ticks.slice(1)).toEqual(['14:51:00.000']);
});

it('ticks within one interval after the clock was set back', () => {
  vi.advanceTimersByTime(MINUTE);
  vi.setSystemTime('2026-11-20T10:00:30Z');
  vi.advanceTimersByTime(MINUTE);
  expect(ticks.slice(1)).toEqual(['10:01:10.000']);
  vi.advanceTimersByTime(MINUTE);
  expect(ticks.slice(2)).toEqual(['10:02:00.000']);
});

it('ticks once where the timeout ends just before the boundary', () => {
  vi.setSystemTime(START - 5);
  vi.advanceTimersByTime(40_000);
  expect(ticks).toEqual([]);
  vi.advanceTimersByTime(5);
  expect(ticks).toEqual(['14:31:00.000']);
});

it('ticks no more once stopped, also when stopped within a tick', () => {
  timer.stop();
  const own = alignedTimer(MINUTE, Date.now, () => {
    ticks.push('own');
    own.stop();
  });
  vi.advanceTimersByTime(5 * MINUTE);
  expect(ticks).toEqual(['own']);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not keep the process alive', () => {
  vi.useRealTimers();
  const timeouts = vi.spyOn(globalThis, 'setTimeout');
  const own = alignedTimer(MINUTE, Date.now, () => {});
  own.stop();
  expect(timeouts.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  timeouts.mockRestore();
});
