import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { rowsIn } from '#database/transfer/archive.ts';
import { exportDatabase } from '#database/transfer/export.ts';
import { loadPublicKey } from '#server/public-key.ts';
import type { Command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeCount } from '../terminal/write-count.ts';

export const exportCommand: Command = {
  help: `Usage: npm run barometer -- export FILE

Writes everything that another database needs into one file, as of one instant: subscribers, the ledger, deliveries,
history and snapshots. "import" reads it into an empty database, embedded or Postgres. An existing file is never
overwritten, and an interrupted export leaves no file of that name.

The file has every address and the key that signs links: anyone who has it can unsubscribe everybody.`,
  flags: {},
  positionals: ['FILE'],
  async run(context, _flags, [given = '']) {
    const { stdout } = context;
    const path = resolve(given);
    const header = await withProgress(context, (options) =>
      withDatabase(context, async (database) => {
        // No server may have created the key yet.
        await loadPublicKey(database, randomBytes);
        return exportDatabase(database, path, options);
      }),
    );
    const { length } = header.tables;
    stdout.write(
      `Exported ${writeCount(rowsIn(header), 'row')} of ${writeCount(length, 'table')} to ${path}. It has every address and the key that signs links: keep it as safe as the database.
It has nothing that happens from now on: to move, stop every server on this database before you export.\n`,
    );
    return 0;
  },
};
