import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLocked } from '#tests/support/is-locked.ts';
import { runCommand, temporaryFolder } from '#tests/support/product.ts';

let data: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  data = temporaryFolder();
});
afterAll(() => data.remove());

it('a first fill ends when its server is killed', async () => {
  const folder = join(data.path, 'database');
  let isKilled = false;
  await runCommand(['serve'], { BAROMETER_DATA_DIR: data.path, PORT: '0' }, (server) => {
    const watching = setInterval(() => {
      if (!existsSync(`${folder}.new`)) return;
      clearInterval(watching);
      isKilled = server.kill('SIGKILL');
    }, 5);
  });
  expect(isKilled).toBe(true);
  await expect.poll(() => isLocked(folder)).toBe(false);
  // If the fill had continued, it would have created the database.
  expect(existsSync(folder)).toBe(false);
});
