import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { serveGate } from '#tests/support/gate-server.ts';

let embedded: EmbeddedForTest;
beforeAll(async () => {
  embedded = await embeddedForTest();
});
afterAll(() => embedded.remove());

it('takes no visitors where Postgres went away before the first page was read', async () => {
  const away = new DatabaseUnavailable('unreachable', 'Postgres cannot be reached.');
  let isAway = false;
  const leaving: Database = {
    ...embedded.database,
    engine: 'postgres',
    transaction: (work, options = {}) => {
      isAway ||= options.snapshot === true;
      return isAway ? Promise.reject(away) : embedded.database.transaction(work, options);
    },
  };
  await expect(serveGate(leaving)).rejects.toBe(away);
  expect(isAway).toBe(true);
});
