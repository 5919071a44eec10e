import { resolve } from 'node:path';
import { checkArchive, rowsIn } from '#database/transfer/archive.ts';
import { importArchive } from '#database/transfer/import.ts';
import { holderNamed, whileHolding } from '#server/jobs/run-job.ts';
import type { Command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeCount } from '../terminal/write-count.ts';

export const importCommand: Command = {
  help: `Usage: npm run barometer -- import FILE

Writes a file of "export" into the configured database: Postgres with DATABASE_URL, else the embedded one. The database has
to be empty. The whole file is checked first, and everything is written in one transaction: an interrupted import changes
nothing and can be run again.

Stop every server on the old database before you export, and start none on the new one before this is done: two servers
that send would send each mail twice.`,
  flags: {},
  positionals: ['FILE'],
  async run(context, _flags, [given = '']) {
    const path = resolve(given);
    const header = await withProgress(context, async ({ report, signal: stop }) => {
      const checked = await checkArchive(path, { report, signal: stop });
      await withDatabase(
        context,
        (database) =>
          whileHolding({ database, holder: holderNamed('import') }, ({ signal, stillMine }) =>
            importArchive(
              database,
              { path, header: checked },
              { report, stillMine, signal: AbortSignal.any([stop, signal]) },
            ),
          ),
        // A server on this database would write into it, too.
        { alone: true },
      );
      return checked;
    });
    context.stdout.write(
      `Imported ${writeCount(rowsIn(header), 'row')} of ${writeCount(header.tables.length, 'table')}.\n`,
    );
    return 0;
  },
};
