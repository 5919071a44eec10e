import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import type { Database } from '#database/port.ts';
import {
  DRAW_WORKER_URL,
  type EmbeddedForTest,
  embeddedForTest,
  MIGRATIONS,
} from '#tests/support/embedded.ts';
import { EMPTY_TEMPLATE } from '#tests/support/gate-server.ts';
import { startServer } from './start-server.ts';

let embedded: EmbeddedForTest;
let clientFolder: string;
beforeAll(async () => {
  embedded = await embeddedForTest();
  clientFolder = mkdtempSync(join(tmpdir(), 'barometer-client-'));
  writeFileSync(join(clientFolder, 'index.html'), EMPTY_TEMPLATE);
  const manifest = { name: 'Barometer Dashboard', short_name: 'Barometer', start_url: './' };
  writeFileSync(join(clientFolder, 'manifest.webmanifest'), JSON.stringify(manifest));
});
afterAll(async () => {
  rmSync(clientFolder, { recursive: true });
  await embedded.remove();
});

const start = (database: Database) =>
  startServer({
    database,
    migrationsFolder: MIGRATIONS,
    clientFolder,
    config: { host: '127.0.0.1', port: 0, publicUrl: null, productName: 'A "B"' },
    anonKey: 'sb_publishable_test',
    drawWorkerUrl: DRAW_WORKER_URL,
    now: Date.now,
    log: { info() {}, warn() {}, error() {} },
  });

it('sets the product name in the web manifest', async () => {
  const { url, close } = await start(embedded.database);
  const manifest = await (await fetch(`${url}/manifest.webmanifest`)).json();
  expect(manifest).toEqual({ name: 'A "B" Dashboard', short_name: 'A "B"', start_url: './' });
  await close();
});

it('does not start if Postgres fails before the first page', async () => {
  const away = new DatabaseUnavailable('unreachable', 'Postgres cannot be reached.');
  let isAway = false;
  const leaving: Database = {
    ...embedded.database,
    transaction: (work, options = {}) => {
      isAway ||= options.snapshot === true;
      return isAway ? Promise.reject(away) : embedded.database.transaction(work, options);
    },
  };
  await expect(start(leaving)).rejects.toBe(away);
  expect(isAway).toBe(true);
});
