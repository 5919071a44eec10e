import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { readShownSource } from '#collector/freshness.ts';
import { newestPeriod } from '#collector/periods.ts';
import type { Report } from '#collector/progress.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { setAsksToConfirm } from '#mailer/subscribers/subscription.ts';
import { createCollecting } from '#server/jobs/collecting.ts';
import { createMailing } from '#server/jobs/mailing.ts';
import { recordedRun } from '#server/jobs/recorded-run.ts';
import { holderNamed } from '#server/jobs/run-job.ts';
import { type PerformDue, performInProcess, RunFailed } from '#server/jobs/run-process.ts';
import { startSchedule } from '#server/jobs/schedule.ts';
import { announceServer } from '#server/jobs/servers.ts';
import { createLog, type Log } from '#server/log.ts';
import { createRunMetrics, type RunMetrics } from '#server/metrics/run-metrics.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import { loadPublicKey } from '#server/public-key.ts';
import { type RunningServer, type ServerOptions, startServer } from '#server/start-server.ts';
import type { Command, Context, FlagValues } from '../command.ts';
import { isNewDatabase, openDatabase } from '../open-database.ts';
import { CLIENT_FOLDER, DRAW_WORKER_URL, MIGRATIONS_FOLDER, PROGRAM } from '../paths.ts';
import { createPatience, type Patience } from '../patience.ts';
import {
  chooseSource,
  flagParameters,
  namedSource,
  SOURCE_FLAGS,
  SOURCE_HELP,
} from '../settings/source-choice.ts';
import { showProgress } from '../terminal/progress.ts';
import { Stopped, stopSignal } from '../terminal/stop-signal.ts';

/** Time that a server goes on serving after a SIGTERM if others may take over (s). */
const DRAIN_SECONDS = 5;

/** The flags and settings choose the source; over a database that shows a replay, the folder goes on as one. */
async function chooseServedSource(database: Database, { environment, now }: Context, flags: FlagValues) {
  const shown = await readShownSource(database, now());
  const { word } = chooseSource(environment, flags);
  const served = shown === 'replay' && word === 'csv' ? { ...flags, replay: true } : flags;
  return { shown, served, source: chooseSource(environment, served) };
}

/** Runs what fills the database. A live source that fails does not keep the page from being served. */
async function fill(
  run: (report: Report) => Promise<unknown>,
  source: Pick<Source, 'word'>,
  { now, stderr }: Context,
  { log, stop }: Pick<Start, 'log' | 'stop'>,
): Promise<void> {
  const progress = showProgress(stderr, now);
  try {
    await run(progress.report);
  } catch (error) {
    if (error instanceof RunFailed && error.failure === 'held') {
      log.info('filled by another process', { reason: error.message });
    } else if (source.word !== 'live' && !stop.aborted) throw error;
  } finally {
    progress.end();
  }
}

interface Start {
  /** Start of this process (epoch ms). */
  readonly began: number;
  readonly stop: AbortSignal;
  readonly log: Log;
  readonly patiently: Patience;
  readonly metrics: RunMetrics;
  /** True if this process has created and filled the database just now. */
  readonly isNew: boolean;
}

/** Runs what is due in a process of its own. */
const scheduledRun = (flags: FlagValues, database?: Database): PerformDue =>
  performInProcess({
    ...(database !== undefined && { database }),
    program: PROGRAM,
    parameters: ['collect', '--due', ...flagParameters(flags)],
  });

/**
 * Creates and fills the embedded database in the process of the first run: creating one takes 800 MB, which only the end
 * of a process gives back.
 */
async function createDatabase(context: Context, flags: FlagValues, start: Start): Promise<void> {
  const source = chooseSource(context.environment, flags);
  const { now } = context;
  const { log, metrics, stop: signal } = start;
  const run = (report: Report) =>
    recordedRun(
      { now, log, metrics, signal },
      { period: newestPeriod(now()), source: source.word },
      (watch) => scheduledRun(flags)({ ...watch, report, signal }),
    );
  await fill(run, source, context, start);
}

async function serveUntilStopped(
  context: Context,
  flags: FlagValues,
  database: Database,
  start: Start,
): Promise<void> {
  const { environment } = context;
  const { shown, served, source } = await start.patiently(() => chooseServedSource(database, context, flags));
  const name = holderNamed('serve');
  const withdraw = await start.patiently(() =>
    announceServer(database, { name, ...namedSource(environment, served) }),
  );
  try {
    await serveSource(context, database, { ...start, shown, served, source });
  } finally {
    await withdraw();
  }
}

type Chosen = Awaited<ReturnType<typeof chooseServedSource>>;

async function serveSource(
  context: Context,
  database: Database,
  { began, stop, log, patiently, metrics, isNew, shown, served, source }: Start & Chosen,
): Promise<void> {
  const { environment, now, stdout } = context;
  const isEmpty = shown !== source.word;
  const collecting = createCollecting({
    database,
    perform: scheduledRun(served, database),
    source,
    // The files of a folder may have changed while no server ran.
    isOwed: isEmpty || (source.word === 'csv' && !isNew),
    began,
    now,
    log,
    metrics,
    signal: stop,
  });
  const run = async (report: Report) => {
    if (await collecting.isWanted()) await collecting.catchUp(report);
  };
  if (isEmpty) await patiently(() => fill(run, source, context, { log, stop }));
  if (stop.aborted) return;

  await patiently(() => setAsksToConfirm(database, environment.mail.asksToConfirm));
  const readMarket = await patiently(() => createMarketReader({ database, log }));
  const options: ServerOptions = {
    database,
    migrationsFolder: MIGRATIONS_FOLDER,
    clientFolder: CLIENT_FOLDER,
    config: { ...environment, asksToConfirm: environment.mail.asksToConfirm },
    anonKey: await patiently(() => loadPublicKey(database, randomBytes)),
    jobs: { metrics, missedPeriods: collecting.missed },
    drawWorkerUrl: DRAW_WORKER_URL,
    now,
    log,
  };
  const server = await patiently(() => startServer(options));
  stdout.write(`${environment.productName} is at ${server.url}\n`);
  // Without PUBLIC_URL, links lead to the address that it listens on.
  const settings = { ...environment.mail, publicUrl: environment.publicUrl ?? server.url };
  const mailing = createMailing({
    database,
    settings,
    readMarket,
    began,
    now,
    log,
    metrics,
    signal: stop,
    by: 'serve',
  });
  if (settings.smtpUrl === null) log.info('mails are kept', { folder: settings.outboxFolder });
  // At the same time, so that neither mails nor runs wait for the other.
  const schedules = [collecting.scheduledRuns, [mailing.scheduledRun]].map((runs) =>
    startSchedule({ runs, clock: now, log }),
  );
  if (!stop.aborted) await once(stop, 'abort');
  const drainSeconds = environment.drainSeconds ?? (environment.databaseUrl === null ? 0 : DRAIN_SECONDS);
  const drained = drain(server, drainSeconds, stop);
  await Promise.all([drained, ...schedules.map((schedule) => schedule.stop())]);
}

/** Lets load balancers send visitors elsewhere before the server closes; at once if it is stopped at a terminal. */
async function drain(server: RunningServer, seconds: number, stop: AbortSignal): Promise<void> {
  server.drain();
  const isAtTerminal = stop.reason instanceof Stopped && stop.reason.by === 'SIGINT';
  if (!isAtTerminal) await delay(seconds * 1_000);
  await server.close();
}

export const serve: Command = {
  help: `Usage: npm run barometer -- serve [flags]

Opens the database, fills it when it shows no market yet, serves the page and collects on schedule.

${SOURCE_HELP}`,
  flags: SOURCE_FLAGS,
  async run(context, flags) {
    const began = context.now();
    const stop = stopSignal();
    const { environment, now, stdout } = context;
    const log = createLog({
      write: (line) => stdout.write(line),
      clock: now,
      format: stdout.isTTY ? 'plain' : 'json',
    });
    const patiently = createPatience({ log, signal: stop });
    const metrics = createRunMetrics();
    // Before the database is opened, so that a wrong flag is named at once.
    chooseSource(environment, flags);
    const isNew = isNewDatabase(environment);
    const start = { began, stop, log, patiently, metrics, isNew };
    try {
      if (isNew) await createDatabase(context, flags, start);
      if (stop.aborted) return 0;
      const database = await patiently(() => openDatabase(environment, { alone: true }));
      try {
        await serveUntilStopped(context, flags, database, start);
      } finally {
        await database.close();
      }
    } catch (error) {
      // It was stopped while it waited for the database.
      if (error !== stop.reason) throw error;
    }
    return 0;
  },
};
