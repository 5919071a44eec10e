import { resolve } from 'node:path';
import { newHolderName, withLease } from '#server/jobs/lease.ts';
import { loadPublicKey } from '#server/public-key.ts';
import { command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeCount } from '../terminal/wording.ts';
import { checkArchive, rowsIn } from '../transfer/archive.ts';
import { exportDatabase, importArchive } from '../transfer/copy-tables.ts';

export const exportCommand = command({
  help: `Usage: npm run barometer -- export FILE

Writes subscribers, the ledger, deliveries, history and snapshots of one instant into a file, which "import" reads into
an empty database, embedded or Postgres. Never overwrites a file. An interrupted export leaves no file of that name.

The file contains all addresses and the key that signs links: anyone who has it can unsubscribe everybody.`,
  flags: {},
  positionals: ['FILE'],
  async run(context, _flags, [file = '']) {
    const { stdout } = context;
    const path = resolve(file);
    const header = await withProgress(context, (options) =>
      withDatabase(context, async (database) => {
        // The archive must contain the public key, so the key is created if no server has created it yet.
        await loadPublicKey(database);
        return exportDatabase(database, path, options);
      }),
    );
    const { length } = header.tables;
    stdout.write(
      `Exported ${writeCount(rowsIn(header), 'row')} of ${writeCount(length, 'table')} to ${path}. It contains all addresses and the key that signs links: protect it as you protect the database.
It does not contain later changes: to move, stop every server on this database before you export.\n`,
    );
    return 0;
  },
});

export const importCommand = command({
  help: `Usage: npm run barometer -- import FILE

Writes a file of "export" into the configured database: Postgres with DATABASE_URL, else the embedded one. The database
must be empty. Checks the whole file first and writes it in one transaction: an interrupted import changes nothing.

Stop every server on the old database before you export, and start none on the new one before the import is done: two
servers that send would send each mail twice.`,
  flags: {},
  positionals: ['FILE'],
  async run(context, _flags, [file = '']) {
    const path = resolve(file);
    const header = await withProgress(context, async ({ report, signal: stop }) => {
      await checkArchive(path, { report, signal: stop });
      return withDatabase(
        context,
        (database) =>
          withLease(database, { holder: newHolderName('import') }, ({ signal, checkHeld }) =>
            importArchive(database, path, { report, checkHeld, signal: AbortSignal.any([stop, signal]) }),
          ),
        { mayCreate: true },
      );
    });
    context.stdout.write(
      `Imported ${writeCount(rowsIn(header), 'row')} of ${writeCount(header.tables.length, 'table')}.\n`,
    );
    return 0;
  },
});
