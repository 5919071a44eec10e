import type { Source } from '#collector/history/source.ts';
import { readKnownGaps, writeKnownGaps } from '#collector/live/known-gaps.ts';
import { SourceError } from '#collector/problems.ts';
import { type Job, newestRuns, type RunReport } from '#collector/runs/runs.ts';
import { listMarketFiles } from '#collector/sources/csv-source.ts';
import type { Database } from '#database/port.ts';
import { issueDemonstrationRecord } from '#mailer/decide/demonstration-record.ts';
import { type JobOptions, runDue, runNow } from '#server/jobs/run-job.ts';
import { type RunMessage, runFailed } from '#server/jobs/run-process.ts';
import { readServerSources } from '#server/jobs/servers.ts';
import { type Context, command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { UsageError } from '../settings/usage-error.ts';
import {
  checkAgreesWithServer,
  chooseSource,
  flagsOf,
  isSourceSet,
  namedSource,
  SOURCE_FLAGS,
  SOURCE_HELP,
  type SourceFlags,
} from '../source-choice.ts';
import { endWithParent, showProgress, stopSignal, withProgress } from '../terminal/progress.ts';
import { describeRun, linesOf } from '../terminal/runs-report.ts';

/** Returns the flags that name the source; without any, those of the server on this database, which must agree. */
export async function sourceFlags(database: Database, { environment }: Context, flags: SourceFlags) {
  const servers = await readServerSources(database);
  const [server] = servers;
  const named = namedSource(environment, flags);
  if (server !== undefined && !isSourceSet(environment, flags)) {
    checkAgreesWithServer({ ...server, publishing: named.publishing }, server, flags);
    return flagsOf(server);
  }
  for (const each of servers) checkAgreesWithServer(named, each, flags);
  return flags;
}

/** Issues the weekly signals for the past of the simulated market. Does nothing for other sources. */
const issuePast = (database: Database, { environment, now }: Context, { name }: Source) =>
  issueDemonstrationRecord(database, { source: name, settings: environment.mail, now: now() });

/** Returns the refused rows and the notes of a run that failed because of its data; empty for another error. */
async function problemLines(database: Database, error: unknown): Promise<string[]> {
  if (!(error instanceof SourceError)) return [];
  const [run] = await database.transaction((transaction) => newestRuns(transaction, 1)).catch(() => []);
  return linesOf(run?.problems ?? []).map((line) => `${line}\n`);
}

async function runByHand(
  job: Job,
  context: Context,
  flags: SourceFlags,
  removesFuture = false,
): Promise<number> {
  const { environment, now, stdout, stderr } = context;
  // Reports a wrong flag or folder before the database is opened.
  chooseSource(environment, flags);
  const { folder } = namedSource(environment, flags);
  if (folder !== null) await listMarketFiles(folder);
  let problems: readonly string[] = [];
  const run = async (database: Database, progress: Pick<JobOptions, 'report' | 'signal'>) => {
    const source = chooseSource(environment, await sourceFlags(database, context, flags));
    const options = { database, source, now, removesFuture, ...progress };
    const done = await runNow(job, options).catch(async (error) => {
      problems = await problemLines(database, error);
      throw error;
    });
    await issuePast(database, context, source);
    return done;
  };
  const report = await withProgress(context, (progress) =>
    withDatabase(context, (database) => run(database, progress), { mayCreate: true }),
  ).finally(() => stderr.write(problems.join('')));
  stdout.write(`${describeRun(report)}\n`);
  return 0;
}

/** Sends a message to the server that started this process. Does nothing if no server started it. */
const send = (message: RunMessage) =>
  new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

/** Runs the due period. Reports to the server that started this process, or else to the terminal. */
async function collectIfDue(context: Context, flags: SourceFlags): Promise<number> {
  const { environment, now, stdout, stderr } = context;
  endWithParent();
  const signal = stopSignal();
  const progress = process.send === undefined ? showProgress(stderr, now) : null;
  let problems: readonly string[] = [];
  const run = async (database: Database): Promise<RunReport | null> => {
    const knownGaps = await readKnownGaps(database);
    const source = chooseSource(environment, await sourceFlags(database, context, flags), knownGaps);
    const sendCalls = () => void send({ kind: 'calls', calls: source.calls?.() ?? [] });
    const options: JobOptions = {
      database,
      source,
      now,
      signal,
      report: (step) => {
        sendCalls();
        void send({ kind: 'progress', progress: step });
        progress?.report(step);
      },
    };
    try {
      const report = await runDue({ ...options, onJob: (job) => void send({ kind: 'job', job }) });
      await issuePast(database, context, source);
      return report;
    } catch (error) {
      problems = await problemLines(database, error);
      throw error;
    } finally {
      sendCalls();
      if (source.name === 'live') await writeKnownGaps(database, knownGaps).catch(() => undefined);
    }
  };
  try {
    const report = await withDatabase(context, run, { mayCreate: true });
    await send({ kind: 'done', report });
    progress?.end();
    if (report !== null) stdout.write(`${describeRun(report)}\n`);
    else stdout.write('No run is due.\n');
    return 0;
  } catch (error) {
    progress?.end();
    if (progress !== null) stderr.write(problems.join(''));
    const { failure, message } = runFailed(error, signal);
    await send({ kind: 'failed', failure, reason: message });
    throw error;
  }
}

const help = (job: Job, description: string) =>
  `Usage: npm run barometer -- ${job} [flags]\n\n${description}\n\n${SOURCE_HELP}`;

export const collect = command({
  help: `${help(
    'collect',
    'Reads the source once, stores its history and writes the newest rows. A second run changes nothing.',
  )}
  --due           run only if the newest scheduled run is not done; a backfill if too much is missing. The csv source
                  always runs, because its files may have changed
  --remove-future the clock is right: remove the rows that a clock that was ahead has dated later than now`,
  flags: { ...SOURCE_FLAGS, due: { type: 'boolean' }, 'remove-future': { type: 'boolean' } },
  async run(context, { due, 'remove-future': removesFuture, ...flags }) {
    if (!due) return runByHand('collect', context, flags, removesFuture);
    if (removesFuture)
      throw new UsageError('--remove-future is a decision of the operator, so --due cannot go with it.');
    return collectIfDue(context, flags);
  },
});

export const backfill = command({
  help: help(
    'backfill',
    'Fetches missing history and writes the rows of every session that has data. Safe to interrupt: the next\nbackfill continues.',
  ),
  flags: SOURCE_FLAGS,
  run: (context, flags) => runByHand('backfill', context, flags),
});
