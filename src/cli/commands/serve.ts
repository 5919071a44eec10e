import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report, Source } from '#collector/history/source.ts';
import { checkPublishedRights } from '#collector/publish/published-rights.ts';
import { readShownSource } from '#collector/runs/freshness.ts';
import type { Database } from '#database/port.ts';
import { setAsksToConfirm } from '#mailer/subscribers/subscription.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { anchorServices } from '#record/ledger/anchor-services.ts';
import { type RunningServer, type ServerOptions, startServer } from '#server/app/start-server.ts';
import {
  type EarlyListener,
  fillState,
  listenEarly,
  STARTING,
  type StartState,
} from '#server/app/starting.ts';
import { createCollecting } from '#server/jobs/collecting.ts';
import { createDeciding, createGrading } from '#server/jobs/deciding.ts';
import { newHolderName } from '#server/jobs/lease.ts';
import { createReportFolder, createReportHandler } from '#server/jobs/mail-reports.ts';
import { performInChildProcess, RunFailed } from '#server/jobs/run-process.ts';
import { startSchedule } from '#server/jobs/schedule.ts';
import { createSending, DELIVERIES } from '#server/jobs/sending.ts';
import { announceServer } from '#server/jobs/servers.ts';
import { createLog, type Log } from '#server/log.ts';
import { createRunMetrics, type RunMetrics } from '#server/metrics/counters.ts';
import { loadPublicKey } from '#server/public-key.ts';
import { type Context, command } from '../command.ts';
import { examineRights, rightsOf } from '../doctor/check-rights.ts';
import { createDatabaseRetry, type DatabaseRetry, openMigratedDatabase } from '../open-database.ts';
import { CLIENT_FOLDER, DRAW_WORKER_URL, MIGRATIONS_FOLDER, PROGRAM, readVersion } from '../paths.ts';
import {
  chooseSource,
  flagParameters,
  namedSource,
  SOURCE_FLAGS,
  SOURCE_HELP,
  type SourceFlags,
} from '../source-choice.ts';
import { showProgress, stopSignal } from '../terminal/progress.ts';

/** Default of DRAIN_SECONDS with Postgres, where other servers may take over the requests. */
const DRAIN_SECONDS = 5;

const WAITING: StartState = { reason: 'The server waits for its database.', share: null };

interface Start extends Context {
  readonly flags: SourceFlags;
  /** Start of this process (epoch ms). */
  readonly began: number;
  /** Responds with the reason until the page is served. */
  readonly listener: EarlyListener;
  readonly stop: AbortSignal;
  readonly log: Log;
  readonly retry: DatabaseRetry;
  readonly metrics: RunMetrics;
}

/** Fills the database before the page is served. If the live source fails, the server starts without its data. */
async function fill(
  run: (report: Report) => Promise<unknown>,
  source: Source,
  { now, stderr, log, stop, listener }: Start,
): Promise<void> {
  const progress = showProgress(stderr, now);
  listener.report(fillState(null));
  try {
    await run((step) => {
      progress.report(step);
      listener.report(fillState(step));
    });
  } catch (error) {
    if (error instanceof RunFailed && error.failure === 'busy') {
      log.info('another process fills the database', { reason: error.message });
    } else if (source.name !== 'live' && !stop.aborted) throw error;
  } finally {
    progress.end();
    listener.report(STARTING);
  }
}

async function serveDatabase(start: Start, database: Database): Promise<void> {
  const { environment, flags, now, retry } = start;
  const shown = await retry(() => readShownSource(database, now()));
  // If the page shows a replay, the server continues to show it.
  const isReplay = shown === 'replay' && namedSource(environment, flags).source === 'csv';
  const served = { ...start, flags: isReplay ? { ...flags, replay: true } : flags };
  const source = namedSource(environment, served.flags);
  const withdraw = await retry(() => announceServer(database, { name: newHolderName('serve'), ...source }));
  try {
    await serveSource(served, database, shown);
  } finally {
    await withdraw();
  }
}

async function serveSource(start: Start, database: Database, shown: string | null): Promise<void> {
  const { environment, flags, now, stdout, began, stop, log, retry, metrics, listener } = start;
  const source = chooseSource(environment, flags);
  await retry(() => checkPublishedRights(database, source));
  const { publishing } = source;
  for (const { state, text } of publishing === undefined ? [] : examineRights(environment, publishing)) {
    log[state === 'fine' ? 'info' : 'warn']('publication', { reason: text });
  }
  const mustFill = shown !== source.name;
  const parameters = ['collect', '--due', ...flagParameters(flags)];
  const collecting = createCollecting({
    ...{ database, source: source.name, began, now, log, metrics, signal: stop },
    perform: performInChildProcess({ program: PROGRAM, parameters }),
    // The files of a csv folder may have changed while no server was running.
    mustRun: mustFill || source.name === 'csv',
  });
  if (mustFill) await retry(() => fill(collecting.catchUp, source, start));
  if (stop.aborted) return;

  await retry(() => setAsksToConfirm(database, environment.mail.doubleOptIn));
  const options: ServerOptions = {
    listener,
    database,
    migrationsFolder: MIGRATIONS_FOLDER,
    clientFolder: CLIENT_FOLDER,
    config: {
      ...environment,
      doubleOptIn: environment.mail.doubleOptIn,
      reportToken: environment.mailReports.token,
      mailWebhooks: environment.mailReports.webhooks,
      rights: publishing === undefined ? null : rightsOf(publishing),
      publishDelay: environment.publishing.delay,
    },
    anonKey: await retry(() => loadPublicKey(database)),
    jobs: { metrics, missedPeriods: collecting.missed },
    drawWorkerUrl: DRAW_WORKER_URL,
    version: readVersion(),
    now,
    log,
  };
  const server = await retry(() => startServer(options));
  stdout.write(`${environment.productName} is at ${server.url}\n`);
  // Without PUBLIC_URL, the links in mails lead to the address that the server listens on.
  const settings = { ...environment.mail, publicUrl: environment.publicUrl ?? server.url };
  const deciding = createDeciding({ database, settings, began, now, log });
  if (settings.smtpUrl === null) {
    log.info('mails are written to the outbox', { folder: settings.outboxFolder });
  }
  const grading = createGrading({ database, now, log });
  const sending = createSending({
    ...{ database, settings, webhooks: environment.alerts, now, log, metrics, signal: stop, by: 'serve' },
    anchors: anchorServices(environment.anchors, { fetch, now, signal: stop }),
  });
  // Each job has a separate schedule, so that mails, runs, grades and webhooks do not wait for each other.
  const scheduled = [collecting.scheduledRun, deciding.scheduledRun, grading];
  const { folder } = environment.mailReports;
  if (folder !== null) {
    const signingKey = await retry(() => readSigningKey(database));
    const handle = createReportHandler({ database, signingKey, metrics, now });
    scheduled.push(createReportFolder({ folder, handle, log, signal: stop }));
  }
  const senders = sending.scheduledRuns.map((run) => startSchedule(run, log));
  const schedules = [...scheduled.map((run) => startSchedule(run, log)), ...senders];
  const stopListening = database.listen(DELIVERIES, () => {
    for (const sender of senders) sender.wake();
  });
  if (!stop.aborted) await once(stop, 'abort');
  await stopListening();
  const drainSeconds = environment.drainSeconds ?? (environment.databaseUrl === null ? 0 : DRAIN_SECONDS);
  const drained = drain(server, drainSeconds, stop);
  await Promise.all([drained, ...schedules.map((schedule) => schedule.stop())]);
}

/** Closes the server after a delay for load balancers; at once after a SIGINT. */
async function drain(server: RunningServer, seconds: number, stop: AbortSignal): Promise<void> {
  server.drain();
  if (stop.reason.cause !== 'SIGINT') await delay(seconds * 1_000);
  await server.close();
}

export const serve = command({
  help: `Usage: npm run barometer -- serve [flags]

Listens, opens the database, fills it if it shows no data of this source, serves the page and collects on schedule. Until the page
has data, its address responds with the progress.

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
    // Reports a wrong flag before the server listens.
    chooseSource(environment, flags);
    const listener = await listenEarly({ ...environment, log });
    stdout.write(`${environment.productName} is starting at ${listener.url}\n`);
    const onPause = () => listener.report(WAITING);
    const retry = createDatabaseRetry({ log, signal: stop, onPause });
    const metrics = createRunMetrics();
    const start = { ...context, flags, began, listener, stop, log, retry, metrics };
    try {
      const database = await retry(() =>
        openMigratedDatabase(environment, (reason) => log.warn('database', { reason })),
      );
      try {
        await serveDatabase(start, database);
      } finally {
        await database.close();
      }
    } catch (error) {
      // If the process must end, `retry` throws the reason of the stop signal, which is not a failure.
      if (error !== stop.reason) throw error;
    } finally {
      await listener.close();
    }
    return 0;
  },
});
