import { resolve } from 'node:path';
import type { Report } from '#collector/progress.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { Source } from '#collector/sources/source.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context } from './command.ts';
import { openDatabase } from './open-database.ts';
import { showProgress } from './progress.ts';
import { holderNamed, runNow } from './run-job.ts';
import { describeRun } from './run-report.ts';
import { chooseSource, SOURCE_FLAGS, SOURCE_HELP } from './source-choice.ts';
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

/** A command that runs a job: over the database, or by the server that has it open. */
export function jobCommand(job: Job, what: string): Command {
  return {
    help: `Usage: npm run barometer -- ${job} [flags]\n\n${what}\n\n${SOURCE_HELP}`,
    flags: SOURCE_FLAGS,
    async run(context, flags) {
      const { environment, now, stdout, stderr } = context;
      // Also when the server does the work, so that a wrong flag is named at once.
      const source = chooseSource(environment, flags);
      const progress = showProgress(stderr, now);
      const ask = await findServer(environment);
      // The server stands in another folder.
      const dir = typeof flags.dir === 'string' ? { dir: resolve(flags.dir) } : {};
      try {
        const report =
          ask === null
            ? await runHere(job, source, context, progress.report)
            : ((await ask(job, { ...flags, ...dir }, (line) =>
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
