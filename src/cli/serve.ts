import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Job } from '#collector/runs.ts';
import { readShownSource } from '#collector/shown-source.ts';
import type { Source } from '#collector/sources/source.ts';
import { writeLockDetails } from '#database/embedded/lock.ts';
import type { Database } from '#database/port.ts';
import type { Operation } from '#server/http/operator-route.ts';
import { startSchedule } from '#server/jobs/schedule.ts';
import { createLog } from '#server/log.ts';
import { loadPublicKey } from '#server/public-key.ts';
import { startServer } from '#server/start-server.ts';
import { type Collecting, createCollecting } from './collecting.ts';
import type { Command, Context, FlagValues } from './command.ts';
import { examine } from './examine.ts';
import { makeEmbeddedDatabase } from './first-fill.ts';
import { embeddedFolder, openDatabase } from './open-database.ts';
import { CLIENT_FOLDER, DRAW_WORKER_URL } from './paths.ts';
import { showProgress } from './progress.ts';
import { chooseSource, SOURCE_FLAGS, SOURCE_HELP } from './source-choice.ts';

const TOKEN_BYTES = 24;

/** Settings and flags choose the source; over a database that shows a replay, the folder goes on as one. */
async function chooseServedSource(database: Database, { environment }: Context, flags: FlagValues) {
  const shown = await readShownSource(database);
  const source = chooseSource(environment, flags);
  const goesOn = shown === 'replay' && source.word === 'csv';
  return { shown, source: goesOn ? chooseSource(environment, { ...flags, replay: true }) : source };
}

async function fill(source: Source, collecting: Collecting, { stderr, now }: Context): Promise<void> {
  const progress = showProgress(stderr, now);
  try {
    await collecting.run('backfill', source, progress.report);
  } finally {
    progress.end();
  }
}

async function serveUntilStopped(
  context: Context,
  flags: FlagValues,
  database: Database,
  began: number,
): Promise<void> {
  const { environment, now, stdout } = context;
  const log = createLog({
    write: (line) => stdout.write(line),
    clock: now,
    format: stdout.isTTY ? 'plain' : 'json',
  });
  const { shown, source } = await chooseServedSource(database, context, flags);
  const collecting = createCollecting({ database, source, began, now, log });
  if (shown !== source.word) await fill(source, collecting, context);

  const job =
    (name: Job): Operation =>
    (body, report) =>
      collecting.run(name, chooseSource(environment, body as FlagValues), (step) =>
        report(JSON.stringify(step)),
      );
  const operatorToken = randomBytes(TOKEN_BYTES).toString('base64url');
  // Heeded from the first request on; a second one ends the process at once.
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const server = await startServer({
    database,
    clientFolder: CLIENT_FOLDER,
    config: environment,
    anonKey: await loadPublicKey(environment.dataFolder, randomBytes),
    operatorToken,
    operations: {
      collect: job('collect'),
      backfill: job('backfill'),
      doctor: () => examine(database, environment, now()),
    },
    drawWorkerUrl: DRAW_WORKER_URL,
    now,
    log,
  });
  if (database.engine === 'embedded') {
    writeLockDetails(embeddedFolder(environment), { url: server.url, token: operatorToken });
  }
  stdout.write(`${environment.productName} is at ${server.url}\n`);
  const schedule = startSchedule({ runs: [await collecting.scheduledRun()], clock: now, log });
  await stopped;
  await Promise.all([server.close(), schedule.stop()]);
}

export const serve: Command = {
  help: `Usage: npm run barometer -- serve [flags]

Opens the database, fills it when it shows no market yet, serves the page and collects on schedule.

${SOURCE_HELP}`,
  flags: SOURCE_FLAGS,
  async run(context, flags) {
    // Before the database is opened, so that a wrong flag is named at once.
    const began = context.now();
    chooseSource(context.environment, flags);
    const made = await makeEmbeddedDatabase(context.environment, flags);
    if (made !== 0) return made;
    const database = await openDatabase(context.environment);
    try {
      await serveUntilStopped(context, flags, database, began);
      return 0;
    } finally {
      await database.close();
    }
  },
};
