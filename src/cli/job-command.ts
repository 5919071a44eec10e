import type { Report } from '#collector/progress.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import { listMarketFiles } from '#collector/sources/csv.ts';
import type { Source } from '#collector/sources/source.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context, FlagValues } from './command.ts';
import type { Environment } from './environment.ts';
import { openDatabase } from './open-database.ts';
import { showProgress } from './progress.ts';
import { holderNamed, runNow } from './run-job.ts';
import { describeRun } from './run-report.ts';
import { chooseSource, type NamedSource, namedSource, SOURCE_FLAGS, SOURCE_HELP } from './source-choice.ts';
import { endWithParent, stopSignal } from './stop-signal.ts';

/** Runs a job over a database of its own. */
async function runHere(job: Job, source: Source, { environment, now }: Context, report: Report) {
  endWithParent();
  const database = await openDatabase(environment);
  try {
    const holder = holderNamed(job);
    return await runNow(job, { database, source, now, holder, report, signal: stopSignal() });
  } finally {
    await database.close();
  }
}

/** The body of a request that has a server run a job. */
export interface JobRequest {
  readonly flags: FlagValues;
  /** The source that the settings of the command name; null if they name none, or if a flag does. */
  readonly settings: NamedSource | null;
}

/** The request for the source that this command names. Paths are absolute, since the server runs in another folder. */
function jobRequest(environment: Environment, flags: FlagValues): JobRequest {
  const { source, dir } = namedSource(environment, flags);
  if (flags.source === undefined && flags.dir === undefined) {
    return { flags, settings: environment.isMarketSourceSet ? { source, dir } : null };
  }
  return { flags: { ...flags, source, ...(dir !== null && { dir }) }, settings: null };
}

/** A command that runs a job: over the database, or by the server that has it open. */
export function jobCommand(job: Job, what: string): Command {
  return {
    help: `Usage: npm run barometer -- ${job} [flags]\n\n${what}\n\n${SOURCE_HELP}`,
    flags: SOURCE_FLAGS,
    async run(context, flags) {
      const { environment, now, stdout, stderr } = context;
      // Checked here even if the server runs the job, so that a wrong flag or folder is named at once.
      const source = chooseSource(environment, flags);
      const { dir } = namedSource(environment, flags);
      if (dir !== null) await listMarketFiles(dir);
      const progress = showProgress(stderr, now);
      const ask = await findServer(environment);
      try {
        const report =
          ask === null
            ? await runHere(job, source, context, progress.report)
            : ((await ask(job, jobRequest(environment, flags), (line) =>
                progress.report(JSON.parse(line)),
              )) as RunReport);
        progress.end();
        stdout.write(`${describeRun(report)}\n`);
        return 0;
      } finally {
        progress.end();
      }
    },
  };
}
