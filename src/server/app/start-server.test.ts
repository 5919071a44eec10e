import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { AWAY, EMPTY_TEMPLATE, startTestServer } from '#tests/support/gate-server.ts';
import { folderForTests } from '#tests/support/shared.ts';

const { database } = databaseOfTheseTests();
const clientFolder = folderForTests();
beforeAll(() => {
  writeFileSync(join(clientFolder, 'index.html'), EMPTY_TEMPLATE);
  const manifest = { name: 'Barometer Dashboard', short_name: 'Barometer', start_url: './' };
  writeFileSync(join(clientFolder, 'manifest.webmanifest'), JSON.stringify(manifest));
});

const start = (database: Database) =>
  startTestServer(database, { clientFolder, config: { productName: 'A "B"' }, waitMs: undefined });

it('sets the product name in the web manifest [S1.5]', async () => {
  const { url, close } = await start(database);
  const manifest = await (await fetch(`${url}/manifest.webmanifest`)).json();
  expect(manifest).toEqual({ name: 'A "B" Dashboard', short_name: 'A "B"', start_url: './' });
  await close();
});

it('does not start if Postgres fails before the first page', async () => {
  let isAway = false;
  const leaving: Database = {
    ...database,
    transaction: (work, options = {}) => {
      isAway ||= options.snapshot === true;
      return isAway ? Promise.reject(AWAY) : database.transaction(work, options);
    },
  };
  await expect(start(leaving)).rejects.toBe(AWAY);
  expect(isAway).toBe(true);
});
