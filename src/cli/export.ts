import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { type Exported, exportDatabase } from '#database/moving/export.ts';
import type { Report } from '#database/moving/options.ts';
import type { Database } from '#database/port.ts';
import type { Operation } from '#server/http/operator-route.ts';
import { agreePublicKey, loadPublicKey } from '#server/public-key.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context } from './command.ts';
import { withDatabase } from './mailing-here.ts';
import { showProgress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';
import { writeCount } from './write-count.ts';

/** What the command asks of a running server, which writes into the folder itself. */
export const exportOperation =
  (database: Database): Operation =>
  (body, report) => {
    const { folder } = body as { folder?: unknown };
    if (typeof folder !== 'string') throw new Error('An export needs a folder: name one.');
    return exportDatabase(database, folder, { report: (step) => report(JSON.stringify(step)) });
  };

function exportHere(context: Context, folder: string, report: Report): Promise<Exported> {
  const { environment } = context;
  const signal = stopSignal();
  return withDatabase(context, async (database) => {
    // One of a data folder that no server has told the database of yet.
    if (database.engine === 'embedded') {
      await agreePublicKey(database, await loadPublicKey(environment.dataFolder, randomBytes));
    }
    return exportDatabase(database, folder, { report, signal });
  });
}

export const exportCommand: Command = {
  help: `Usage: npm run barometer -- export DIR

Writes all that has to survive a move into a folder, as of one instant: subscribers, the ledger, deliveries, history and
snapshots, a packed file a table, and a manifest with their counts and checksums. "import" reads it into another database,
embedded or Postgres. Safe to interrupt: it starts again. A finished export is never written over.

Every address is in it, and the key that signs links: who has the folder can unsubscribe anybody. A server that runs on the
embedded database writes the folder itself, so it has to be one that the server's user may write.`,
  flags: {},
  positionals: ['DIR'],
  async run(context, _flags, [given = '']) {
    const { environment, now, stdout, stderr } = context;
    const folder = resolve(given);
    const progress = showProgress(stderr, now);
    const ask = await findServer(environment);
    try {
      const { isNew, tables, rows } =
        ask === null
          ? await exportHere(context, folder, progress.report)
          : ((await ask('export', { folder }, (line) => progress.report(JSON.parse(line)))) as Exported);
      progress.end();
      stdout.write(
        isNew
          ? `Exported ${writeCount(rows, 'row')} of ${writeCount(tables, 'table')} to ${folder}. It has every address and the key that signs links: keep it as you keep those.\nWhat happens from here on is not in it: to move house, stop every server on this database first.\n`
          : `${folder} has exactly this already; nothing was written.\n`,
      );
      return 0;
    } finally {
      progress.end();
    }
  },
};
