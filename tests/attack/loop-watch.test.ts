import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { watchLoop } from './loop-watch.ts';

it('reports a stalled event loop with its computing time', () => {
  const watch = watchLoop();
  // The watch counts the processor time of its own process, so a busy machine makes no difference.
  const busy = `setTimeout(() => {
    const computed = () => process.cpuUsage().user + process.cpuUsage().system;
    const end = computed() + 500_000;
    while (computed() < end);
    setTimeout(() => {}, 50);
  }, 50)`;
  spawnSync(process.execPath, ['-e', busy, 'serve'], { env: { ...process.env, ...watch.settings } });
  expect(watch.isWatching()).toBe(true);
  const [stall, ...others] = watch.take().filter(({ own }) => own >= 400);
  expect(others).toEqual([]);
  expect(stall?.own).toBeLessThanOrEqual(stall?.stalled ?? 0);
  expect(watch.take()).toEqual([]);
  watch.remove();
});
