import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { runAlerts } from '#tests/support/alert-run.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';

const CHANGES = 3;
const KILLS = 6;

describe('alerts of three processes that are killed at random moments', () => {
  it('reach each channel once per change, but never for stale, mixed or demonstration data', async () => {
    const program = await bundleForNode('tests/support/alert-child.ts');
    const postgres = await startPostgres();
    const database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    try {
      const options = { database, databaseUrl: postgres.url, program, changes: CHANGES, kills: KILLS };
      const { planned, recorded, repeatedCalls, repeatedMails, ...run } = await runAlerts(options);
      expect(recorded).toEqual(planned);
      expect(planned).toHaveLength(CHANGES);
      expect(run).toEqual({
        kills: KILLS,
        expected: 21,
        missing: 0,
        unplanned: 0,
        unsigned: 0,
        unfinished: 0,
      });
      // A killed process repeats at most the messages that it was sending.
      expect(repeatedCalls).toBeLessThanOrEqual(KILLS * 5);
      expect(repeatedMails).toBeLessThanOrEqual(KILLS * 2);
    } finally {
      await database.close();
      await postgres.stop();
      rmSync(join(program, '..'), { recursive: true, force: true });
    }
  });
});
