import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { loadDemonstration } from '#tests/support/demonstration.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { runCommand, startProduct } from '#tests/support/product.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';

/** Tests commands over Postgres. `commands.test.ts` tests them over the embedded database. */
describe('beside a server on demo data over Postgres', () => {
  const data = folderForTests();
  const postgres = shared(startPostgres);
  /** Settings of the database, for commands. */
  let settings: Record<string, string>;
  const server = shared(async () => {
    const database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    await loadDemonstration(database);
    await database.close();
    settings = { BAROMETER_DATA_DIR: data, DATABASE_URL: postgres.url, DRAIN_SECONDS: '0' };
    return startProduct(data, settings);
  });

  const REST = 'Stop that server first, or start it with the same source.\n';

  it.each<[string, string[], Record<string, string>, string]>([
    [
      'a source in the environment',
      ['backfill'],
      { MARKET_SOURCE: 'live' },
      `MARKET_SOURCE is live for this command and simulated for the server on this database. ${REST}`,
    ],
    [
      'a source by flag',
      ['collect', '--source', 'live'],
      {},
      `--source is live for this command and simulated for the server on this database. ${REST}`,
    ],
    [
      'a folder that does not exist',
      ['collect'],
      { MARKET_SOURCE: 'csv', MARKET_CSV_DIR: '/nonexistent' },
      'The folder of market data /nonexistent does not exist. Set MARKET_CSV_DIR to the folder of the files.\n',
    ],
  ])('a command refuses %s in one sentence', async (_, command, told, sentence) => {
    const outcome = await runCommand(command, { ...settings, ...told });
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: sentence });
  });

  it('a command can name another source after the server has stopped', async () => {
    await server.stop();
    const universe = join(data, 'universe.csv');
    writeFileSync(universe, 'symbol,name,sector\n');
    const live = { MARKET_SOURCE: 'live', MARKET_UNIVERSE: universe };
    const { code, stderr } = await runCommand(['collect'], { ...settings, ...live });
    expect([code, stderr]).toEqual([1, expect.stringContaining('universe.csv')]);
  });
});
