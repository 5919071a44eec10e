import { afterEach, expect, it, vi } from 'vitest';
import { withDeadline } from './deadline.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends only when its abort signal fires, such as a request without a response. */
const waiting = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

it('stops a run at its deadline with one sentence', async () => {
  vi.useFakeTimers();
  const run = expect(withDeadline(600_000, undefined, waiting)).rejects.toThrow(
    /^The run was stopped after 10 minutes because the providers were too slow\. The next run continues\.$/,
  );
  await vi.advanceTimersByTimeAsync(600_000);
  await run;
});

it('abandons work that ignores its abort signal for half a minute', async () => {
  vi.useFakeTimers();
  const hanging = () => new Promise<never>(() => undefined);
  const run = withDeadline(600_000, undefined, hanging);
  const ended = expect(run).rejects.toThrow(/^The run was stopped after 10 minutes/);
  await vi.advanceTimersByTimeAsync(630_000);
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

it('removes its timers and listeners when the run throws', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  expect(await withDeadline(600_000, signal, async ({ aborted }) => aborted)).toBe(false);
  const broken = new Error('broken');
  await expect(withDeadline(600_000, signal, () => Promise.reject(broken))).rejects.toBe(broken);
  expect([vi.getTimerCount(), added.mock.calls.length]).toEqual([0, 0]);
});

it('stops a run with the reason of the outer abort signal', async () => {
  const reason = new Error('The server is stopping.');
  await expect(
    withDeadline(null, AbortSignal.abort(reason), async (signal) => signal.throwIfAborted()),
  ).rejects.toBe(reason);
  const controller = new AbortController();
  const run = expect(withDeadline(null, controller.signal, waiting)).rejects.toThrow(
    /^The run was stopped before/,
  );
  controller.abort();
  await run;
});
