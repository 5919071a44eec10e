import { afterEach, expect, it, vi } from 'vitest';
import { withDeadline } from './deadline.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** What only ends with its signal, as a provider does that does not answer. */
const waiting = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

it('ends a run that takes too long, and says so in a sentence', async () => {
  vi.useFakeTimers();
  const run = expect(withDeadline(600_000, undefined, waiting)).rejects.toThrow(
    /^The run was given up after 10 minutes; the providers were too slow, and the next run goes on\.$/,
  );
  await vi.advanceTimersByTimeAsync(600_000);
  await run;
});

it('does not wait on and on for what does not end by its signal, so that the next run goes', async () => {
  vi.useFakeTimers();
  const hanging = () => new Promise<never>(() => undefined);
  const run = withDeadline(600_000, undefined, hanging);
  const ended = expect(run).rejects.toThrow(/^The run was given up after 10 minutes/);
  await vi.advanceTimersByTimeAsync(630_000);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

it('leaves no timer behind, nor a listener, and what a run fails of by itself as it is', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  expect(await withDeadline(600_000, signal, async ({ aborted }) => aborted)).toBe(false);
  const broken = new Error('broken');
  await expect(withDeadline(600_000, signal, () => Promise.reject(broken))).rejects.toBe(broken);
  expect([vi.getTimerCount(), removed.mock.calls.length]).toEqual([0, 2]);
});

it('ends a run from outside: with the reason given, else with one of its own', async () => {
  const reason = new Error('The server is stopping.');
  await expect(
    withDeadline(null, AbortSignal.abort(reason), async (signal) => signal.throwIfAborted()),
  ).rejects.toBe(reason);
  const controller = new AbortController();
  const run = expect(withDeadline(null, controller.signal, waiting)).rejects.toThrow(
    /^The run was ended before/,
  );
  controller.abort();
  await run;
});
