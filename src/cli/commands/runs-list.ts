import { newestRuns } from '#collector/runs/runs.ts';
import { READ_ONLY } from '#database/port.ts';
import { command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { UsageError } from '../settings/usage-error.ts';
import { describeRuns } from '../terminal/runs-report.ts';

const DEFAULT_COUNT = '20';
const MOST = 1_000;

export const runsList = command({
  help: `Usage: npm run barometer -- runs list [--count N] [--json]

Prints the newest runs of the collector with their period, status, duration, and the reason of a failure or of refused
values. Times are UTC. A run without a period was started by a command.

  --count N   number of runs; default: ${DEFAULT_COUNT}
  --json      as JSON, with all recorded problems and the requests to providers`,
  flags: { count: { type: 'string' }, json: { type: 'boolean' } },
  async run(context, { count: text = DEFAULT_COUNT, json }) {
    const count = Number(text);
    if (!/^\d+$/.test(text) || count < 1 || count > MOST) {
      throw new UsageError(`--count is "${text}"; it must be a whole number from 1 to ${MOST}.`);
    }
    const runs = await withDatabase(context, (database) =>
      database.transaction((transaction) => newestRuns(transaction, count), READ_ONLY),
    );
    context.stdout.write(`${json ? JSON.stringify(runs, null, 2) : describeRuns(runs)}\n`);
    return 0;
  },
});
