import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { watchLoop } from './loop-watch.ts';

it('a loop that is kept from its next turn is found out by how long it computed', () => {
  const watch = watchLoop();
  const busy =
    'setTimeout(() => { const end = performance.now() + 500; while (performance.now() < end); setTimeout(() => {}, 50); }, 50)';
  spawnSync(process.execPath, ['-e', busy, 'serve'], { env: { ...process.env, ...watch.settings } });
  expect(watch.isWatching()).toBe(true);
  const [stall, ...others] = watch.take().filter(({ stalled }) => stalled >= 400);
  expect(others).toEqual([]);
  expect(stall?.own).toBeGreaterThan(0);
  expect(stall?.own).toBeLessThanOrEqual(stall?.stalled ?? 0);
  expect(watch.take()).toEqual([]);
  watch.remove();
});
