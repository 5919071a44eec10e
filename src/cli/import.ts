import { resolve } from 'node:path';
import { importExport } from '#database/moving/import.ts';
import { readExport } from '#database/moving/read-export.ts';
import type { Command } from './command.ts';
import { withDatabase } from './mailing-here.ts';
import { showProgress } from './progress.ts';
import { holderNamed, whileHolding } from './run-job.ts';
import { stopSignal } from './stop-signal.ts';
import { writeCount } from './write-count.ts';

export const importCommand: Command = {
  help: `Usage: npm run barometer -- import DIR

Moves what "export" wrote into the configured database: Postgres with DATABASE_URL, else the embedded one. It has to be
empty, or to hold a part of the same export; all files are checked before anything is written, and what was written is
compared with them at the end. Safe to interrupt and to run again; until it is done nothing else can write.

Stop every server on the old database before you export, and start none on the new one before this is done: two that send
would send each mail twice.`,
  flags: {},
  positionals: ['DIR'],
  async run(context, _flags, [given = '']) {
    const { now, stdout, stderr } = context;
    const { report, end } = showProgress(stderr, now);
    const stop = stopSignal();
    try {
      const found = await readExport(resolve(given), { report, signal: stop });
      const { isNew, tables, rows } = await withDatabase(context, (database) =>
        whileHolding({ database, holder: holderNamed('import') }, ({ signal, stillMine }) =>
          importExport(database, found, { report, stillMine, signal: AbortSignal.any([stop, signal]) }),
        ),
      );
      end();
      stdout.write(
        isNew
          ? `Imported ${writeCount(rows, 'row')} of ${writeCount(tables, 'table')}; counts and checksums are those of the export.\n`
          : 'The database has exactly this already; nothing was written.\n',
      );
      return 0;
    } finally {
      end();
    }
  },
};
