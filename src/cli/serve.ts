import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '#collector/runs.ts';
import { readShownSource } from '#collector/shown-source.ts';
import type { ServerAddress } from '#database/embedded/lock.ts';
import type { Database } from '#database/port.ts';
import { setAsksToConfirm } from '#mailer/subscribers/subscription.ts';
import type { Operation } from '#server/http/operator-route.ts';
import { LeaseHeld } from '#server/jobs/lease.ts';
import { startSchedule } from '#server/jobs/schedule.ts';
import { createLog, type Log } from '#server/log.ts';
import { createRunMetrics } from '#server/metrics/run-metrics.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import { agreePublicKey, loadPublicKey } from '#server/public-key.ts';
import { type RunningServer, type ServerOptions, startServer } from '#server/start-server.ts';
import { type Collecting, createCollecting } from './collecting.ts';
import type { Command, Context, FlagValues } from './command.ts';
import { examine } from './doctor/doctor.ts';
import type { Environment } from './environment.ts';
import { exportOperation } from './export.ts';
import { makeEmbeddedDatabase } from './first-fill.ts';
import type { JobRequest } from './job-command.ts';
import { mailOperations } from './mail-operations.ts';
import { createMailing, type Mailing } from './mailing.ts';
import { openDatabase } from './open-database.ts';
import { CLIENT_FOLDER, COLLECT_PROGRAM, DRAW_WORKER_URL, MIGRATIONS_FOLDER } from './paths.ts';
import { createPatience, type Patience } from './patience.ts';
import { showProgress } from './progress.ts';
import { type ChosenSource, performInProcess } from './run-process.ts';
import { checkSameSource, chooseSource, namedSource, SOURCE_FLAGS, SOURCE_HELP } from './source-choice.ts';
import { Stopped, stopSignal } from './stop-signal.ts';

const TOKEN_BYTES = 24;

/** How long it goes on after a SIGTERM: over the embedded database nobody else could answer in its place. */
const DRAIN_SECONDS = { embedded: 0, postgres: 5 } as const satisfies Record<Database['engine'], number>;

/** What flags and settings choose, for another process to make the source of. Throws `UsageError`. */
function chosenSource(environment: Environment, flags: FlagValues): ChosenSource {
  const { word } = chooseSource(environment, flags);
  return { word, flags, knownGaps: new Map() };
}

/** Settings and flags choose the source; over a database that shows a replay, the folder goes on as one. */
async function chooseServedSource(database: Database, { environment, now }: Context, flags: FlagValues) {
  const shown = await readShownSource(database, now());
  const source = chosenSource(environment, flags);
  const goesOn = shown === 'replay' && source.word === 'csv';
  return { shown, source: goesOn ? chosenSource(environment, { ...flags, replay: true }) : source };
}

/** Fills the database. What the schedule can make up for does not keep the page from being served. */
async function fill(
  collecting: Collecting<ChosenSource>,
  source: ChosenSource,
  log: Log,
  context: Context,
  stop: AbortSignal,
) {
  const progress = showProgress(context.stderr, context.now);
  try {
    if (await collecting.isWanted()) await collecting.catchUp(progress.report);
  } catch (error) {
    if (error instanceof LeaseHeld) log.info('filled by another process', { reason: error.message });
    else if (source.word !== 'live' && !stop.aborted) throw error;
  } finally {
    progress.end();
  }
}

interface Start {
  /** When this process began (epoch ms). */
  readonly began: number;
  /** The exit code of the first fill; null when there was none. */
  readonly made: number | null;
  readonly stop: AbortSignal;
  readonly log: Log;
  readonly patiently: Patience;
  /** Makes known to commands on this data folder where the server accepts them. */
  readonly announce: (address: ServerAddress) => void;
}

async function serveUntilStopped(
  context: Context,
  flags: FlagValues,
  database: Database,
  { began, made, stop, log, patiently, announce }: Start,
): Promise<void> {
  const { environment, now, stdout } = context;
  const { shown, source } = await patiently(() => chooseServedSource(database, context, flags));
  const metrics = createRunMetrics();
  const isEmpty = shown !== source.word;
  const collecting = createCollecting({
    database,
    perform: performInProcess({ database, program: COLLECT_PROGRAM, by: 'serve' }),
    source,
    // What is in a folder may have changed while no server ran.
    isOwed: isEmpty || (source.word === 'csv' && made === null),
    began,
    failedAt: made === null || made === 0 ? null : now(),
    now,
    log,
    metrics,
    signal: stop,
  });
  if (isEmpty && made === null) await patiently(() => fill(collecting, source, log, context, stop));
  if (stop.aborted) return;

  const job =
    (name: Job): Operation =>
    async (body, report) => {
      const request = body as JobRequest;
      if (request.settings !== null) checkSameSource(request.settings, namedSource(environment, flags));
      const asked = chosenSource(environment, request.flags);
      return collecting.run(name, asked, (step) => report(JSON.stringify(step)));
    };
  await patiently(() => setAsksToConfirm(database, environment.mail.asksToConfirm));
  const readMarket = await patiently(() => createMarketReader({ database, log }));
  let mailing: Mailing | null = null;
  const ready = (): Mailing => {
    if (mailing === null) throw new Error('The server has only just begun; ask once more.');
    return mailing;
  };
  const operatorToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const ownKey = await loadPublicKey(environment.dataFolder, randomBytes);
  const options: ServerOptions = {
    database,
    migrationsFolder: MIGRATIONS_FOLDER,
    clientFolder: CLIENT_FOLDER,
    config: { ...environment, asksToConfirm: environment.mail.asksToConfirm },
    anonKey: await patiently(() => agreePublicKey(database, ownKey)),
    operatorToken,
    operations: {
      collect: job('collect'),
      backfill: job('backfill'),
      doctor: () => examine(database, environment, now()),
      export: exportOperation(database),
      ...mailOperations(database, ready),
    },
    jobs: { metrics, missedPeriods: collecting.missed },
    drawWorkerUrl: DRAW_WORKER_URL,
    now,
    log,
  };
  const server = await patiently(() => startServer(options));
  announce({ url: server.url, token: operatorToken });
  stdout.write(`${environment.productName} is at ${server.url}\n`);
  // Without an address of its own, links lead to where it turned out to listen.
  const settings = { ...environment.mail, publicUrl: environment.publicUrl ?? server.url };
  mailing = createMailing({
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
  // Side by side, so that a long sending holds up no run of the collector, nor the other way round.
  const schedules = [collecting.scheduledRuns, [mailing.scheduledRun]].map((runs) =>
    startSchedule({ runs, clock: now, log }),
  );
  if (!stop.aborted) await once(stop, 'abort');
  const drained = drain(server, environment.drainSeconds ?? DRAIN_SECONDS[database.engine], stop);
  await Promise.all([drained, ...schedules.map((schedule) => schedule.stop())]);
}

/** Has balancers send visitors elsewhere before it stops to listen. Who stops it at a terminal is not kept waiting. */
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
    // Before the database is opened, so that a wrong flag is named at once.
    const { word } = chooseSource(environment, flags);
    const made = await makeEmbeddedDatabase(environment, flags, stop);
    // What failed of a provider is tried again by the schedule, and the page is served meanwhile.
    if (stop.aborted) return 0;
    if (made !== null && made !== 0 && word !== 'live') return made;
    try {
      let address: ServerAddress | null = null;
      const announce = (own: ServerAddress) => {
        address = own;
      };
      const database = await patiently(() => openDatabase(environment, () => address));
      try {
        const start = { began, made, stop, log, patiently, announce };
        await serveUntilStopped(context, flags, database, start);
      } finally {
        await database.close();
      }
    } catch (error) {
      // Told to end while it waited for the database.
      if (error !== stop.reason) throw error;
    }
    return 0;
  },
};
