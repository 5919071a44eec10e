import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Database } from '#database/port.ts';
import { type Header, rowsIn, type TransferOptions } from '#database/transfer/archive.ts';
import { exportDatabase } from '#database/transfer/export.ts';
import type { Operation } from '#server/http/operator-route.ts';
import { agreePublicKey, loadPublicKey } from '#server/public-key.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context } from './command.ts';
import { withDatabase } from './mailing-here.ts';
import { showProgress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';
import { writeCount } from './write-count.ts';

/** Exports from the server that has the database open. It writes the file itself. */
export const exportOperation =
  (database: Database): Operation =>
  (body, report) => {
    const { path } = body as { path?: unknown };
    if (typeof path !== 'string') throw new Error('An export needs a file: name one.');
    return exportDatabase(database, path, { report: (step) => report(JSON.stringify(step)) });
  };

function exportHere(context: Context, path: string, report: TransferOptions['report']): Promise<Header> {
  const { environment } = context;
  const signal = stopSignal();
  return withDatabase(context, async (database) => {
    // No server may have stored the key of this data folder yet.
    if (database.engine === 'embedded') {
      await agreePublicKey(database, await loadPublicKey(environment.dataFolder, randomBytes));
    }
    return exportDatabase(database, path, { report, signal });
  });
}

export const exportCommand: Command = {
  help: `Usage: npm run barometer -- export FILE

Writes everything that another database needs into one file, as of one instant: subscribers, the ledger, deliveries,
history and snapshots. "import" reads it into an empty database, embedded or Postgres. An existing file is never
overwritten, and an interrupted export leaves no file of that name.

The file has every address and the key that signs links: anyone who has it can unsubscribe everybody. A server on the
embedded database writes the file itself, so its user must be allowed to.`,
  flags: {},
  positionals: ['FILE'],
  async run(context, _flags, [given = '']) {
    const { environment, now, stdout, stderr } = context;
    const path = resolve(given);
    const progress = showProgress(stderr, now);
    const ask = await findServer(environment);
    try {
      const header =
        ask === null
          ? await exportHere(context, path, progress.report)
          : ((await ask('export', { path }, (line) => progress.report(JSON.parse(line)))) as Header);
      progress.end();
      const { length } = header.tables;
      stdout.write(
        `Exported ${writeCount(rowsIn(header), 'row')} of ${writeCount(length, 'table')} to ${path}. It has every address and the key that signs links: keep it as safe as the database.
It has nothing that happens from now on: to move, stop every server on this database before you export.\n`,
      );
      return 0;
    } finally {
      progress.end();
    }
  },
};
