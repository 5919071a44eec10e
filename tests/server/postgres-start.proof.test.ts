import type { ChildProcess } from 'node:child_process';
import { expect, it } from 'vitest';
import { startPostgres } from '#tests/support/postgres.ts';
import { listenTo, runCommand } from '#tests/support/product.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';

/* `tests/deploy/nginx.proof.test.ts` restarts and kills servers under requests, `tests/e2e/database-away.proof.test.ts`
   takes their Postgres away. */

const folder = folderForTests();
const postgres = shared(startPostgres);

it('a server waits for Postgres, responds while it drains and exits immediately at a second signal', async () => {
  let server: ChildProcess | undefined;
  let listened: ReturnType<typeof listenTo> | undefined;
  const settings = {
    ...{ DATABASE_URL: postgres.url, BAROMETER_DATA_DIR: folder, PORT: '0' },
    ...{ MARKET_SOURCE: 'simulated', DRAIN_SECONDS: '60' },
  };
  let ended: ReturnType<typeof runCommand> | undefined;
  await postgres.restart(async () => {
    ended = runCommand(['serve'], settings, (child) => {
      server = child;
      listened = listenTo(child);
    });
    await expect
      .poll(() => listened?.output())
      .toMatch(/"event":"waiting for the database".*cannot be reached/);
  });
  const url = (await listened?.address) ?? '';
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
  server?.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz?only=server`)).status).toBe(503);
  const { status, headers } = await fetch(url);
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  server?.kill('SIGTERM');
  expect((await ended)?.code).toBeNull();
});

it('a process ends with a sentence if the database does not exist or cannot be reached', async () => {
  const nowhere = postgres.url.replace(/\/postgres$/, '/nowhere');
  const serve = await runCommand(['serve'], { DATABASE_URL: nowhere, BAROMETER_DATA_DIR: folder });
  expect([serve.code, serve.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^Postgres at .*nowhere cannot be reached \(database "nowhere" does not exist\).*\n$/,
    ),
  ]);
  const away = { DATABASE_URL: 'postgres://127.0.0.1:9/barometer', BAROMETER_DATA_DIR: folder };
  for (const command of [['collect'], ['signal', 'send']]) {
    const { code, stderr } = await runCommand(command, away);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Postgres at .* cannot be reached .*\n$/)]);
  }
});
